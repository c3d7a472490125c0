// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <sys/epoll.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <vector>

#include "counted_eventfd.h"

namespace evictd::test {

/// What counts as one crossing.
enum class Crossing {
  kOdd,  ///< An odd number of signals: pairs within the margin are counted apart.
  /// The kernel's own. Nothing serialises its look at one cgroup on two CPUs: when both find the
  /// same crossing, v1 signals it twice (__mem_cgroup_threshold() writes current_threshold bare),
  /// so that an even number is a pair where nothing was crossed and a crossing where it was.
  kMaybeTwice,
};

/// Several eventfds, and the order in which they were first signalled since they were last read:
/// that of epoll's list of what is ready.
class OrderedEventfds {
 public:
  OrderedEventfds() : epoll_(::epoll_create1(EPOLL_CLOEXEC)) {}

  /// Makes `count` more; they are numbered from 0.
  void add(std::size_t count) {
    for (std::size_t i = eventfds_.size(), end = i + count; i < end; ++i) {
      eventfds_.push_back(std::make_unique<CountedEventfd>());
      epoll_event event{};
      event.events = EPOLLIN | EPOLLET;
      event.data.u64 = i;
      ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, eventfds_.back()->get(), &event);
    }
  }

  [[nodiscard]] std::size_t size() const { return eventfds_.size(); }
  /// Readable when one of them was signalled.
  [[nodiscard]] int descriptor() const { return epoll_.get(); }
  /// Makes descriptor() wait for the next signal.
  void take_readiness() {
    std::array<epoll_event, 64> ready{};
    while (::epoll_wait(epoll_.get(), ready.data(), ready.size(), 0) > 0) {
    }
  }
  [[nodiscard]] CountedEventfd& at(std::size_t i) { return *eventfds_[i]; }

  /// Waits until as many eventfds as `truth` names have crossed since the last call. Answers them
  /// in their order; what was signalled beyond one crossing each is added to `short_ones`.
  std::vector<std::size_t> take(const std::vector<std::size_t>& truth, Crossing kind,
                                std::uint64_t& short_ones) {
    std::vector<std::size_t> order;
    std::map<std::size_t, std::uint64_t> signals;
    const auto has_crossed = [&](std::size_t index) {
      const std::uint64_t count = signals[index];
      const bool may_be_even = kind == Crossing::kMaybeTwice &&
                               std::find(truth.begin(), truth.end(), index) != truth.end();
      return may_be_even ? count != 0 : count % 2 == 1;
    };
    const auto is_enough = [&] {
      return static_cast<std::size_t>(std::count_if(order.begin(), order.end(), has_crossed)) >=
             truth.size();
    };
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    int count = 1;
    while (count > 0 || (!is_enough() && std::chrono::steady_clock::now() < give_up)) {
      std::array<epoll_event, 64> ready{};
      count = ::epoll_wait(epoll_.get(), ready.data(), ready.size(), is_enough() ? 0 : 1000);
      for (int i = 0; i < count; ++i) {
        const auto index = static_cast<std::size_t>(ready[static_cast<std::size_t>(i)].data.u64);
        const std::uint64_t more = taken(index);
        if (more != 0 && signals[index] == 0) {
          order.push_back(index);
        }
        signals[index] += more;
      }
    }
    std::erase_if(order, [&](std::size_t index) {
      const bool apart = !has_crossed(index);
      short_ones += signals[index] - (apart ? 0 : 1);
      return apart;
    });
    return order;
  }

 private:
  std::uint64_t taken(std::size_t index) {
    const std::uint64_t before = seen_[index];
    seen_[index] = eventfds_[index]->count();
    return seen_[index] - before;
  }

  base::Fd epoll_;
  std::vector<std::unique_ptr<CountedEventfd>> eventfds_;
  std::map<std::size_t, std::uint64_t> seen_;
};

}  // namespace evictd::test
