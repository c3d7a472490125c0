// SPDX-License-Identifier: Apache-2.0
// A workload that nobody waits for: excursions of several heights one upon the other, and a reader
// that comes to look whenever something was signalled.
#include <poll.h>

#include <array>
#include <iostream>
#include <string>
#include <thread>

#include "base/timer.h"
#include "crossing_judge.h"
#include "side_by_side.h"

namespace evictd::test {
namespace {

/// Pairs of thresholds with what a step goes beyond them.
constexpr std::size_t kSteps = 3;
constexpr std::uint64_t kStep = 2 * kMargin + 2 * kMega;
/// Orders that the workload has before it, so that it goes on by itself.
constexpr std::size_t kOrdersAhead = 16;
constexpr int kBurstsOfAPart = 125;

/// How many steps up each excursion goes: 1 to kSteps, the same numbers every time.
std::vector<std::size_t> heights(int seed) {
  std::vector<std::size_t> all;
  auto state = static_cast<std::uint32_t>(seed) + 1;
  for (int i = 0; i < kBurstsOfAPart; ++i) {
    state = state * 1664525 + 1013904223;
    all.push_back(1 + (state >> 16) % kSteps);
  }
  return all;
}

/// Two crossings a step, and back.
std::vector<std::size_t> crossings_of(const std::vector<std::size_t>& excursions) {
  std::vector<std::size_t> truth;
  for (const std::size_t height : excursions) {
    for (std::size_t i = 0; i < 2 * height; ++i) {
      truth.push_back(i);
    }
    for (std::size_t i = 2 * height; i > 0; --i) {
      truth.push_back(i - 1);
    }
  }
  return truth;
}

/// Looks at all eventfds from the first to the last and back: so one that moves meanwhile is seen.
void look(OrderedEventfds& eventfds, CrossingJudge& judge) {
  eventfds.take_readiness();
  std::vector<CrossingJudge::Look> looks;
  for (std::size_t i = 0; i < eventfds.size(); ++i) {
    looks.push_back({.eventfd = i, .count = eventfds.at(i).count()});
  }
  for (std::size_t i = eventfds.size() - 1; i > 0; --i) {
    looks.push_back({.eventfd = i - 1, .count = eventfds.at(i - 1).count()});
  }
  judge.saw(looks);
}

/// For a failure.
std::string account_of(const CrossingJudge& judge) {
  return (judge.is_wrong() ? "wrong after " : "after ") + std::to_string(judge.reached()) +
         " crossings and " + std::to_string(judge.pairs_apart()) + " pairs apart; " +
         judge.last_looks();
}

class SideBySideBursts : public SideBySide, public testing::WithParamInterface<int> {
 protected:
  void SetUp() override {
    SideBySide::SetUp();
    std::vector<Mark> marks;
    for (std::size_t step = 0; step < kSteps; ++step) {
      marks.push_back({.cgroup = &cgroup_, .threshold = step * kStep + kMargin});
      marks.push_back({.cgroup = &cgroup_, .threshold = step * kStep + kMargin + 2 * kMega});
    }
    ASSERT_NO_FATAL_FAILURE(watch(std::move(marks)));
  }

  [[nodiscard]] bool both_are_done() const {
    return (our_judge_.is_complete() || our_judge_.is_wrong()) &&
           (!has_kernels_own() || their_judge_.is_complete() || their_judge_.is_wrong());
  }
  /// Until everything is seen, or nothing more is signalled; the limit is only there so that a
  /// failing test ends.
  void read() {
    std::array<pollfd, 2> ready{{{.fd = ours().descriptor(), .events = POLLIN, .revents = 0},
                                 {.fd = theirs().descriptor(), .events = POLLIN, .revents = 0}}};
    while (!both_are_done() && ::poll(ready.data(), ready.size(), 20'000) > 0) {
      look(ours(), our_judge_);
      if (has_kernels_own()) {
        look(theirs(), their_judge_);
      }
      follow_usage();
    }
  }
  /// Excursions to the first pair of thresholds and back, as far as the file of usage shows them to
  /// somebody who reads it now and then.
  void follow_usage() {
    const std::uint64_t usage = cgroup_.usage_bytes();
    if (high_ ? usage < marks()[0].threshold : usage >= marks()[1].threshold) {
      high_ = !high_;
      ++turns_in_file_;
    }
  }

  std::vector<std::size_t> excursions_ = heights(GetParam());
  CrossingJudge our_judge_{2 * kSteps, crossings_of(excursions_)};
  CrossingJudge their_judge_{2 * kSteps, crossings_of(excursions_)};
  bool high_ = false;
  std::uint64_t turns_in_file_ = 0;
};

/// Orders one ahead of the other.
class FreeRunning {
 public:
  explicit FreeRunning(TestChild& child) : child_(child) {}

  void order(Work work, std::uint64_t amount) {
    if (ahead_ == kOrdersAhead) {
      finish_one();
    }
    child_.start(work, amount);
    ++ahead_;
  }
  bool finish() {
    while (ahead_ > 0) {
      finish_one();
    }
    return lives_;
  }

 private:
  void finish_one() {
    lives_ = child_.wait() && lives_;
    --ahead_;
  }

  TestChild& child_;
  std::size_t ahead_ = 0;
  bool lives_ = true;
};

TEST_P(SideBySideBursts, AreTheSameForAReaderThatComesAtAnyMoment) {
  TestChild child(cgroup_);
  std::thread reader([this] { read(); });
  FreeRunning bursts(child);
  for (const std::size_t height : excursions_) {
    for (std::size_t step = 0; step < height; ++step) {
      bursts.order(Work::kTouch4K, kStep);
    }
    bursts.order(Work::kRelease, 0);
  }
  const bool lives = bursts.finish();
  reader.join();
  ASSERT_TRUE(lives);
  // What had been seen when this one registers is told before it is answered.
  CountedEventfd fence;
  ASSERT_TRUE(listen(fence, {.threshold = kMargin}));
  look(ours(), our_judge_);
  EXPECT_TRUE(our_judge_.is_complete()) << account_of(our_judge_);
  if (has_kernels_own()) {
    look(theirs(), their_judge_);
    EXPECT_TRUE(their_judge_.is_complete()) << account_of(their_judge_);
  }
  std::cout << "excursions " << excursions_.size() << ", crossings "
            << crossings_of(excursions_).size() << ", pairs counted apart: ours "
            << our_judge_.pairs_apart() << ", the kernel's " << their_judge_.pairs_apart()
            << "; turns that the file showed " << turns_in_file_ << '\n';
  EXPECT_LE(turns_in_file_, 2 * excursions_.size());
  EXPECT_LT(our_judge_.pairs_apart(), crossings_of(excursions_).size() / 20);
}

INSTANTIATE_TEST_SUITE_P(Of1000, SideBySideBursts, testing::Range(0, 8));

}  // namespace
}  // namespace evictd::test
