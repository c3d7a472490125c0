// SPDX-License-Identifier: Apache-2.0
#include "crossing/ground.h"

#include <utility>

#include "evictd/try.h"
#include "harness/private_ground.h"
#include "stage/text_file.h"

namespace evictd::bench {
namespace {

/// The value of `key` in memory.stat; v1 has the subtree's value under "total_" + key.
Result<std::int64_t> statistic(const std::string& text, bool unified, const std::string& key) {
  return stage::number_after(text, unified ? key : "total_" + key);
}

/// The v2 root has no usage file: like the kubelet, sums its anonymous and file pages.
Result<std::int64_t> usage_of(const std::filesystem::path& directory, const char* file,
                              const std::string& stat, bool is_root_v2) {
  if (is_root_v2) {
    const Result<std::int64_t> anon = stage::number_after(stat, "anon");
    const Result<std::int64_t> cache = stage::number_after(stat, "file");
    if (!anon || !cache) {
      return anon ? cache : anon;
    }
    return *anon + *cache;
  }
  const Result<std::string> text = stage::read_text(directory / file);
  return text ? stage::parse_number(*text) : tl::unexpected(text.error());
}

}  // namespace

Result<Ground> Ground::create(const std::filesystem::path& programs) {
  EVICTD_ASSIGN_OR_RETURN(PrivateGround own, PrivateGround::create());
  EVICTD_TRY(own.tree.limit_memory(kPodRootLimit));
  return Ground{std::move(own.tree), std::move(own.scratch), programs / "evictd",
                programs / "evict-load"};
}

std::filesystem::path Ground::watched_directory(Target target) const {
  return target == Target::kNode ? tree.hierarchies().memory : tree.memory_directory();
}

Result<WorkingSet> read_working_set(const Ground& ground, Target target) {
  const stage::Hierarchies& hierarchies = ground.tree.hierarchies();
  const std::filesystem::path directory = ground.watched_directory(target);
  EVICTD_ASSIGN_OR_RETURN(const std::string stat, stage::read_text(directory / "memory.stat"));
  const Result<std::int64_t> inactive = statistic(stat, hierarchies.unified(), "inactive_file");
  const Result<std::int64_t> usage = usage_of(directory, hierarchies.usage_file(), stat,
                                              hierarchies.unified() && target == Target::kNode);
  if (!inactive || !usage) {
    return tl::unexpected(inactive ? usage.error() : inactive.error());
  }
  return WorkingSet{Bytes{*usage}, Bytes{*inactive}};
}

}  // namespace evictd::bench
