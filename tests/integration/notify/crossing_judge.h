// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace evictd::test {

/// Judges what a reader sees of several eventfds, at whatever moments it comes to look, by the
/// crossings that a workload makes. Is there a moment of the workload for every look, each not
/// before the one of the look before? Then nothing was missing, added or in another order.
///
/// Usage itself goes back and forth by a charge batch now and then while it grows, when the stock
/// of a CPU is given back. On 6.18 it fell by 65 pages 16 to 160 us after it had grown by 64, and
/// grew again with the next batch. That was at up to 17 of 1000 crossings, and too short for v1,
/// which looks every 128. Such a pair of crossings at one threshold is counted apart. One that has
/// begun may look like the workload's next crossing. A reader that was kept from its CPU meets
/// several at once, or one between two of its looks. So every course that the workload may have
/// taken is followed, and not the likeliest alone.
class CrossingJudge {
 public:
  struct Look {
    std::size_t eventfd = 0;
    /// Signals since the beginning.
    std::uint64_t count = 0;
  };

  /// `truth`: which eventfd each crossing of the workload belongs to, in order.
  CrossingJudge(std::size_t eventfds, std::vector<std::size_t> truth);

  /// What was seen, one after the other, after everything that was seen before. False, from then
  /// on, where no such moments are.
  bool saw(std::span<const Look> looks);
  [[nodiscard]] bool is_wrong() const { return courses_.empty(); }
  /// Everything that the workload did was seen.
  [[nodiscard]] bool is_complete() const;
  /// Crossings so far, at least.
  [[nodiscard]] std::size_t reached() const { return reached_; }
  /// Pairs that are not the workload's, at least.
  [[nodiscard]] std::uint64_t pairs_apart() const { return pairs_apart_; }
  /// What was seen last, for whoever asks why it is wrong or not complete.
  [[nodiscard]] std::string last_looks() const;

 private:
  /// How far the workload may be.
  struct Course {
    /// Crossings that it has made.
    std::size_t place = 0;
    /// By eventfd: signals that were set apart, as of the last look at it.
    std::vector<std::uint64_t> apart;

    auto operator<=>(const Course&) const = default;
  };
  /// With the fewest pairs set apart that lead there.
  using Courses = std::map<Course, std::uint64_t>;

  /// By eventfd: its count at the next look at it, from the look `first` on; nothing where there
  /// is none.
  [[nodiscard]] std::vector<std::optional<std::uint64_t>> next_counts(std::span<const Look> looks,
                                                                      std::size_t first) const;
  /// `courses`, and where they may lead before these looks.
  [[nodiscard]] Courses go_on(Courses courses,
                              const std::vector<std::optional<std::uint64_t>>& next) const;
  /// Those that agree with the look, with `most` pairs at most.
  [[nodiscard]] Courses agreeing(const Courses& courses, const Look& look,
                                 std::uint64_t most) const;
  [[nodiscard]] Courses follow(std::span<const Look> looks, std::uint64_t most) const;
  /// Crossings of an eventfd before a place.
  [[nodiscard]] std::uint64_t crossed(std::size_t eventfd, std::size_t place) const {
    return crossed_[place][eventfd];
  }

  std::vector<std::size_t> truth_;
  /// By place and eventfd.
  std::vector<std::vector<std::uint64_t>> crossed_;
  Courses courses_;
  std::size_t reached_ = 0;
  std::uint64_t pairs_apart_ = 0;
  std::vector<Look> last_looks_;
  std::vector<Look> looks_before_;
};

}  // namespace evictd::test
