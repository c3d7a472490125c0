// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "evictd/bytes.h"
#include "eviction/manager.h"

namespace evictd::eviction {

/// A node with pods, a clock of its own and the manager that watches over it.
class Node {
 public:
  explicit Node(PassSettings settings)
      : compat_(settings.compat), manager_(EvictionManager::create(std::move(settings)).value()) {}

  /// Adds a pod with this working set.
  Node& with(const Pod& pod, Bytes working_set) {
    PassPod& added = with(pod);
    added.reading.state = ReadingState::kRead;
    added.reading.working_set_bytes = working_set.value;
    return *this;
  }
  /// Adds a pod of which no statistics exist.
  PassPod& with(const Pod& pod) {
    pods_.push_back(pod);
    facts_.push_back(facts_of(pod, compat_));
    PassPod added;
    added.pod = &pods_.back();
    added.facts = &facts_.back();
    added.reading.state = ReadingState::kAbsent;
    pass_pods_.push_back(added);
    return pass_pods_.back();
  }
  PassPod& operator[](std::string_view name) { return pass_pods_[place_of(name)]; }
  void remove(std::string_view name) {
    pass_pods_.erase(pass_pods_.begin() + static_cast<std::ptrdiff_t>(place_of(name)));
  }

  void pass_time(Duration time) { now_ += time; }
  void see(Signal signal, std::int64_t available, std::int64_t capacity) {
    seen_[signal] = Observation{available, capacity, now_};
  }
  /// The same when the kernel itself has only `kernel_available` to give.
  const Decision& pass_with_memory(Bytes available, Bytes kernel_available) {
    see(Signal::kMemoryAvailable, available.value, (16_GiB).value);
    seen_[Signal::kMemoryAvailable]->kernel_available = kernel_available.value;
    return pass();
  }
  /// One pass with memory.available at this level, of 16 GiB.
  const Decision& pass_with_memory(Bytes available) {
    see(Signal::kMemoryAvailable, available.value, (16_GiB).value);
    return pass();
  }
  const Decision& pass() {
    input_.observations = &seen_;
    input_.pods = pass_pods_;
    input_.releasing = releasing_;
    return manager_.synchronize(now_, input_);
  }
  const Decision& resume(const Observations* after) {
    input_.observations = after;
    input_.pods = pass_pods_;
    input_.releasing = releasing_;
    return manager_.resume(now_, input_);
  }

  [[nodiscard]] std::string victim() const { return name_of(last().victim); }
  [[nodiscard]] const Decision& last() const { return manager_.decision(); }
  [[nodiscard]] std::string name_of(std::optional<std::size_t> place) const {
    return place ? pass_pods_[*place].pod->name : "nobody";
  }
  [[nodiscard]] MonoTime now() const { return now_; }
  [[nodiscard]] const Observations& seen() const { return seen_; }
  [[nodiscard]] Observation& observation(Signal signal) { return *seen_[signal]; }
  [[nodiscard]] std::vector<PassPod>& pods() { return pass_pods_; }
  [[nodiscard]] EvictionManager& manager() { return manager_; }
  [[nodiscard]] PassInput& input() { return input_; }
  [[nodiscard]] std::vector<ReleasingPod>& releasing() { return releasing_; }

 private:
  [[nodiscard]] std::size_t place_of(std::string_view name) const {
    std::size_t place = 0;
    while (pass_pods_.at(place).pod->name != name) {
      ++place;
    }
    return place;
  }

  Compat compat_;
  EvictionManager manager_;
  // Deques: what a PassPod points at must not move.
  std::deque<Pod> pods_;
  std::deque<PodFacts> facts_;
  std::vector<PassPod> pass_pods_;
  std::vector<ReleasingPod> releasing_;
  Observations seen_;
  PassInput input_;
  MonoTime now_{std::chrono::hours(1)};
};

}  // namespace evictd::eviction
