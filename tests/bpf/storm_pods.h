// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "eviction/pod_facts.h"
#include "test_cgroup.h"
#include "test_child.h"

namespace evictd::test {

inline std::int64_t working_set_of(const TestCgroup& cgroup) {
  return static_cast<std::int64_t>(cgroup.usage_bytes()) -
         static_cast<std::int64_t>(cgroup.inactive_file_bytes());
}

struct Pod {
  explicit Pod(TestCgroup made)
      : cgroup(std::move(made)), container(cgroup.create_child("container")) {}
  [[nodiscard]] std::uint64_t id() const { return cgroup.memory_id().id; }
  [[nodiscard]] std::int64_t working_set() const { return is_gone ? 0 : working_set_of(cgroup); }
  /// No process is left in it.
  void remove() {
    container.remove();
    cgroup.remove();
    is_gone = true;
  }

  TestCgroup cgroup;
  TestCgroup container;
  eviction::PodFacts facts;
  bool is_gone = false;
};

/// A pod that came after the plan.
struct Guest {
  explicit Guest(TestCgroup made) : pod(std::move(made)) {}

  Pod pod;
  std::optional<TestChild> child;
};

/// A process and the pod that it is in now.
struct Walker {
  Walker(const TestCgroup& container, std::size_t pod) : child(container), at(pod) {}

  TestChild child;
  std::size_t at = 0;
  /// Then it stays: its children are elsewhere otherwise, and die with it.
  bool has_forked = false;
};

}  // namespace evictd::test
