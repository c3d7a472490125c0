// SPDX-License-Identifier: Apache-2.0
// The order in which pods are given decides between equals, so it must not depend on how they were
// found.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "cluster/pod_table.h"
#include "support/numbers.h"

namespace evictd::cluster {
namespace {

constexpr std::uint64_t kSeeds = 2000;

template <typename T>
void shuffle(std::vector<T>& list, test::Numbers& numbers) {
  for (std::size_t i = list.size(); i > 1; --i) {
    std::swap(list[i - 1], list[static_cast<std::size_t>(numbers.up_to(static_cast<int>(i) - 1))]);
  }
}

/// Pods of which some were created in the same second, some have no manifest or no cgroup.
class FoundPods {
 public:
  explicit FoundPods(test::Numbers& numbers) {
    const int count = numbers.up_to(10);
    for (int i = 0; i < count; ++i) {
      const std::string uid = "uid-" + std::to_string((i * 7) % 11);
      if (!numbers.one_in(5)) {
        PodCgroup& cgroup = *cgroups_.emplace_back(std::make_unique<PodCgroup>());
        cgroup.uid = uid;
        cgroup.path = "/kubepods/pod" + uid;
        cgroup.memory_id = {4, static_cast<std::uint64_t>(100 + (i * 5) % 13)};
        cgroup.populated = true;
      }
      if (!numbers.one_in(4)) {
        Manifest& manifest = *manifests_.emplace_back(std::make_unique<Manifest>());
        manifest.cgroup_uid = uid;
        manifest.pod.uid = uid;
        manifest.origin = "m.yaml:" + std::to_string(i + 1);
        if (!numbers.one_in(3)) {
          manifest.pod.created_at = WallTime{std::chrono::seconds{numbers.up_to(3)}};
        }
      }
    }
  }
  /// As found in another order each time.
  [[nodiscard]] std::vector<std::string> order(test::Numbers& numbers) const {
    std::vector<const PodCgroup*> cgroups;
    for (const auto& cgroup : cgroups_) {
      cgroups.push_back(cgroup.get());
    }
    std::vector<const Manifest*> manifests;
    for (const auto& manifest : manifests_) {
      manifests.push_back(manifest.get());
    }
    shuffle(cgroups, numbers);
    shuffle(manifests, numbers);
    std::vector<std::string> uids;
    for (const PodEntry& entry :
         join_pods({cgroups, manifests, PodSources::kConfigured, UnknownPods::kNeverEvict, {}})
             .entries) {
      uids.push_back(entry.uid);
    }
    return uids;
  }

 private:
  std::vector<std::unique_ptr<PodCgroup>> cgroups_;
  std::vector<std::unique_ptr<Manifest>> manifests_;
};

TEST(PodOrder, DoesNotDependOnTheOrderInWhichPodsWereFound) {
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    test::SeededNumbers numbers(seed);
    const FoundPods pods(numbers);
    const std::vector<std::string> first = pods.order(numbers);
    for (int i = 0; i < 4; ++i) {
      ASSERT_EQ(pods.order(numbers), first) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace evictd::cluster
