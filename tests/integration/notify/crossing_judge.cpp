// SPDX-License-Identifier: Apache-2.0
#include "crossing_judge.h"

#include <algorithm>
#include <utility>

namespace evictd::test {
namespace {

/// How many pairs more than the likeliest course another one may have set apart to be followed on.
/// In doubt is only what came since the last look at each eventfd.
constexpr std::uint64_t kDoubt = 8;
/// Pairs that a reader may meet at once; usage makes some three of them in a thousand crossings.
constexpr std::uint64_t kMostAtOnce = 32;

std::string text_of(const std::vector<CrossingJudge::Look>& looks) {
  std::string text;
  for (const CrossingJudge::Look& look : looks) {
    text += " " + std::to_string(look.eventfd) + "=" + std::to_string(look.count);
  }
  return text;
}

}  // namespace

CrossingJudge::CrossingJudge(std::size_t eventfds, std::vector<std::size_t> truth)
    : truth_(std::move(truth)) {
  std::vector<std::uint64_t> sum(eventfds);
  crossed_.reserve(truth_.size() + 1);
  crossed_.push_back(sum);
  for (const std::size_t eventfd : truth_) {
    ++sum[eventfd];
    crossed_.push_back(sum);
  }
  courses_.emplace(Course{.place = 0, .apart = std::vector<std::uint64_t>(eventfds)}, 0);
}

bool CrossingJudge::is_complete() const {
  return std::any_of(courses_.begin(), courses_.end(),
                     [&](const auto& course) { return course.first.place == truth_.size(); });
}

std::string CrossingJudge::last_looks() const {
  return "saw" + text_of(last_looks_) + ", before that" + text_of(looks_before_);
}

std::vector<std::optional<std::uint64_t>> CrossingJudge::next_counts(std::span<const Look> looks,
                                                                     std::size_t first) const {
  std::vector<std::optional<std::uint64_t>> next(crossed_.front().size());
  for (std::size_t i = looks.size(); i > first; --i) {
    next[looks[i - 1].eventfd] = looks[i - 1].count;
  }
  return next;
}

CrossingJudge::Courses CrossingJudge::go_on(
    Courses courses, const std::vector<std::optional<std::uint64_t>>& next) const {
  // In the order of places: what is put in is met later.
  for (auto course = courses.begin(); course != courses.end(); ++course) {
    const std::size_t place = course->first.place;
    if (place == truth_.size()) {
      continue;
    }
    const std::size_t eventfd = truth_[place];
    const std::uint64_t signals = crossed(eventfd, place + 1) + course->first.apart[eventfd];
    if (!next[eventfd] || signals <= *next[eventfd]) {
      const auto [further, is_new] =
          courses.emplace(Course{.place = place + 1, .apart = course->first.apart}, course->second);
      further->second = std::min(further->second, course->second);
    }
  }
  return courses;
}

CrossingJudge::Courses CrossingJudge::agreeing(const Courses& courses, const Look& look,
                                               std::uint64_t most) const {
  Courses agreeing;
  const auto take = [&](const Course& course, std::uint64_t pairs, std::size_t place) {
    const std::uint64_t signals = crossed(look.eventfd, place) + course.apart[look.eventfd];
    if (look.count < signals || (look.count - signals) % 2 != 0) {
      return;
    }
    pairs += (look.count - signals) / 2;
    if (pairs > most) {
      return;
    }
    Course next{.place = place, .apart = course.apart};
    next.apart[look.eventfd] = look.count - crossed(look.eventfd, place);
    const auto [same, is_new] = agreeing.emplace(std::move(next), pairs);
    same->second = std::min(same->second, pairs);
  };
  for (const auto& [course, pairs] : courses) {
    take(course, pairs, course.place);
    // The first half of a pair: back over what was crossed last.
    if (course.place > 0 && truth_[course.place - 1] == look.eventfd) {
      take(course, pairs, course.place - 1);
    }
  }
  return agreeing;
}

CrossingJudge::Courses CrossingJudge::follow(std::span<const Look> looks,
                                             std::uint64_t most) const {
  Courses courses = courses_;
  for (std::size_t i = 0; i < looks.size(); ++i) {
    courses = agreeing(go_on(std::move(courses), next_counts(looks, i)), looks[i], most);
  }
  return courses;
}

bool CrossingJudge::saw(std::span<const Look> looks) {
  if (is_wrong()) {
    return false;
  }
  looks_before_ = std::exchange(last_looks_, {looks.begin(), looks.end()});
  Courses courses;
  for (std::uint64_t doubt = kDoubt; courses.empty() && doubt <= kMostAtOnce; doubt *= 2) {
    courses = follow(looks, pairs_apart_ + doubt);
  }
  courses_ = std::move(courses);
  if (is_wrong()) {
    return false;
  }
  const auto fewer = [](const auto& a, const auto& b) { return a.second < b.second; };
  const auto likeliest = std::min_element(courses_.begin(), courses_.end(), fewer);
  pairs_apart_ = likeliest->second;
  reached_ = likeliest->first.place;
  std::erase_if(courses_,
                [&](const auto& course) { return course.second > pairs_apart_ + kDoubt; });
  return true;
}

}  // namespace evictd::test
