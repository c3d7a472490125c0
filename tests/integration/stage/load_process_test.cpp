// SPDX-License-Identifier: Apache-2.0
#include "stage/load_process.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <optional>
#include <string>

#include "stage/private_tree.h"
#include "stage/scratch_directory.h"

namespace evictd::stage {
namespace {

TEST(LoadProcessTest, ReadsItsOwnStampsAlsoWhereThePodHadALoadBefore) {
  if (::geteuid() != 0) {
    GTEST_SKIP() << "needs root to make cgroups";
  }
  Result<PrivateTree> tree =
      PrivateTree::create("evictd-test-" + std::to_string(::getpid()) + "-load");
  ASSERT_TRUE(tree) << tree.error().message();
  const Result<ScratchDirectory> scratch = ScratchDirectory::create("evictd-test-");
  ASSERT_TRUE(scratch) << scratch.error().message();
  const Result<StagedPod> pod = tree->add_pod({.name = "pod"});
  ASSERT_TRUE(pod) << pod.error().message();
  LoadOptions options;
  options.binary = EVICT_LOAD;
  options.directory = scratch->path();
  options.cap = 1 << 20;
  for (int i = 0; i < 3; ++i) {
    // Ended while it waits, each leaves a log that looks like that of the next.
    const Result<LoadProcess> load = LoadProcess::start(*tree, *pod, options);
    ASSERT_TRUE(load) << load.error().message();
    EXPECT_EQ(load->stamps().pid(), load->child().pid());
  }
}

}  // namespace
}  // namespace evictd::stage
