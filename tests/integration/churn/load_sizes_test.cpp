// SPDX-License-Identifier: Apache-2.0
#include "load_sizes.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "stage/scratch_directory.h"

namespace evictd::churn {
namespace {

LoadCharges charges_of_a_plain_build() {
  return {.idle = {1_MiB, 1},
          .forked = {9_MiB, 65},
          .children = 64,
          .idle_before_memory = {1_MiB, 1},
          .allocated = {65_MiB, 1},
          .mebibytes = 64};
}

std::ptrdiff_t cgroups_in(const std::filesystem::path& cgroup) {
  const std::filesystem::directory_iterator entries{cgroup};
  return std::count_if(begin(entries), end(entries),
                       [](const auto& entry) { return entry.is_directory(); });
}

TEST(LoadSizes, AreTheDefaultsForALoadThatTakesLess) {
  EXPECT_EQ(sizes_from(charges_of_a_plain_build()), LoadSizes{});
}

TEST(LoadSizes, AreAQuarterMoreThanAProgramAndAChildTook) {
  LoadCharges charges = charges_of_a_plain_build();
  charges.idle = {40_MiB, 2};
  charges.forked = {40_MiB + 256_MiB, 2 + 128};
  const LoadSizes sizes = sizes_from(charges);
  EXPECT_EQ(sizes.program, 50_MiB);
  EXPECT_EQ(sizes.child, 5_MiB);
  EXPECT_EQ(sizes.program_tasks, 2);
  EXPECT_EQ(sizes.child_tasks, 2);
}

TEST(LoadSizes, HaveTheShadowOfWhatIsAllocated) {
  LoadCharges charges = charges_of_a_plain_build();
  charges.allocated = {1_MiB + 192_MiB, 1};
  EXPECT_EQ(sizes_from(charges).of_a_mebibyte, 3_MiB);
}

TEST(MeasuredLoad, IsNoSmallerThanTheDefaultsAndLeavesNoCgroupBehind) {
  if (::geteuid() != 0) {
    GTEST_SKIP() << "needs root to make cgroups";
  }
  const Result<stage::ScratchDirectory> scratch = stage::ScratchDirectory::create("evictd-test-");
  Result<stage::PrivateTree> tree =
      stage::PrivateTree::create("evictd-test-sizes-" + std::to_string(::getpid()));
  ASSERT_TRUE(scratch && tree);
  const Result<LoadSizes> sizes = measure_load(*tree, EVICT_LOAD, scratch->path());
  ASSERT_TRUE(sizes) << sizes.error().message();
  EXPECT_GE(sizes->program, LoadSizes{}.program);
  for (const char* qos : {"besteffort", "burstable"}) {
    EXPECT_EQ(cgroups_in(tree->memory_directory() / qos), 0) << qos;
  }
}

}  // namespace
}  // namespace evictd::churn
