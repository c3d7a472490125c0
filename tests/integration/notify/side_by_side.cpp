// SPDX-License-Identifier: Apache-2.0
#include "side_by_side.h"

#include <fcntl.h>
#include <sched.h>

#include <algorithm>
#include <iostream>

namespace evictd::test {
namespace {

/// Has the kernel itself signal `eventfd`; cgroup v1 only.
void register_with_kernel(const Mark& mark, const CountedEventfd& eventfd,
                          const std::string& file) {
  const base::Fd usage(::openat(mark.cgroup->memory_fd(), file.c_str(), O_RDONLY | O_CLOEXEC));
  mark.cgroup->write("cgroup.event_control", std::to_string(eventfd.get()) + " " +
                                                 std::to_string(usage.get()) + " " +
                                                 std::to_string(mark.threshold));
}

}  // namespace

void SideBySide::watch(std::vector<Mark> marks, evictd_notify_signal signal) {
  marks_ = std::move(marks);
  above_.assign(marks_.size(), false);
  ours_.add(marks_.size());
  theirs_.add(marks_.size());
  for (std::size_t i = 0; i < marks_.size(); ++i) {
    const Mark& mark = marks_[i];
    const auto listening = listen(ours_.at(i), {.signal = signal, .threshold = mark.threshold},
                                  mark.cgroup->memory_fd());
    ASSERT_TRUE(listening) << listening.error().message();
    if (has_kernels_own()) {
      register_with_kernel(
          mark, theirs_.at(i),
          signal == EVICTD_NOTIFY_MEMSW ? "memory.memsw.usage_in_bytes" : "memory.usage_in_bytes");
    }
  }
}

void SideBySide::watch_ramps(std::vector<Mark> marks, evictd_notify_signal signal,
                             std::uint64_t hysteresis) {
  ASSERT_NO_FATAL_FAILURE(watch(std::move(marks), signal));
  for (const Mark& mark : marks_) {
    steady_.push_back(std::make_unique<CountedEventfd>());
    steady_seen_.push_back(0);
    const auto listening = listen(
        *steady_.back(), {.signal = signal, .threshold = mark.threshold, .hysteresis = hysteresis},
        mark.cgroup->memory_fd());
    ASSERT_TRUE(listening) << listening.error().message();
  }
}

void SideBySide::confirm(const std::vector<std::size_t>& truth) {
  for (const std::size_t i : truth) {
    above_[i] = !above_[i];
  }
  // What processes were made of is given back a little after their end.
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  for (std::size_t i = 0; i < marks_.size(); ++i) {
    const auto is_above = [&] { return marks_[i].cgroup->usage_bytes() >= marks_[i].threshold; };
    while (is_above() != above_[i] && std::chrono::steady_clock::now() < give_up) {
      ::sched_yield();
    }
    ASSERT_EQ(is_above(), above_[i])
        << "usage is not where the workload should have brought it, mark " << i;
  }
}

void SideBySide::expect_order(std::vector<std::size_t> seen, std::vector<std::size_t> truth,
                              Sequence order) const {
  if (order == Sequence::kOfEachCgroup) {
    const auto by_cgroup = [&](std::size_t a, std::size_t b) {
      return marks_[a].cgroup->path() < marks_[b].cgroup->path();
    };
    std::stable_sort(seen.begin(), seen.end(), by_cgroup);
    std::stable_sort(truth.begin(), truth.end(), by_cgroup);
  }
  ASSERT_EQ(seen, truth);
}

void SideBySide::expect_once(const std::vector<std::size_t>& truth) {
  for (const std::size_t i : truth) {
    ASSERT_TRUE(steady_[i]->reaches(++steady_seen_[i])) << "mark " << i;
  }
  for (std::size_t i = 0; i < marks_.size(); ++i) {
    ASSERT_EQ(steady_[i]->count(), steady_seen_[i])
        << "mark " << i << ": an excursion that the workload has not made";
  }
}

void SideBySide::compare(const std::vector<std::size_t>& truth, Sequence order) {
  ASSERT_NO_FATAL_FAILURE(confirm(truth));
  ASSERT_NO_FATAL_FAILURE(
      expect_order(ours_.take(truth, Crossing::kOdd, our_short_ones_), truth, order))
      << "ours";
  ASSERT_NO_FATAL_FAILURE(expect_once(truth)) << "ours with a hysteresis";
  if (has_kernels_own()) {
    ASSERT_NO_FATAL_FAILURE(
        expect_order(theirs_.take(truth, Crossing::kMaybeTwice, their_short_ones_), truth, order))
        << "the kernel's";
  }
  crossings_ += truth.size();
}

void SideBySide::report(std::uint64_t excursions) const {
  std::cout << "excursions " << excursions << ", crossings " << crossings_
            << ", counted apart: ours " << our_short_ones_ << ", the kernel's " << their_short_ones_
            << '\n';
}

}  // namespace evictd::test
