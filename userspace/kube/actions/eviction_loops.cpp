// SPDX-License-Identifier: Apache-2.0
#include "kube/actions/eviction_loops.h"

#include <algorithm>
#include <utility>

namespace evictd::kube {

namespace {

/// For one controller.
constexpr std::size_t kMostEvictions = 16;
constexpr std::size_t kMostControllers = 64;

bool is_within(WallTime earlier, WallTime at) {
  const Duration apart = earlier < at ? at - earlier : earlier - at;
  return apart <= EvictionLoops::kWindow;
}

std::size_t uncounted_at(const EvictionLoops::Known& known, WallTime at) {
  const auto first = known.evictions.end() - static_cast<std::ptrdiff_t>(known.uncounted);
  return static_cast<std::size_t>(std::count_if(
      first, known.evictions.end(), [&](const auto& one) { return is_within(one.at, at); }));
}

}  // namespace

const EvictionLoops::Known* EvictionLoops::find(const std::string& uid) const {
  const auto found = std::find_if(controllers_.begin(), controllers_.end(),
                                  [&](const Known& known) { return known.controller.uid == uid; });
  return found == controllers_.end() ? nullptr : &*found;
}

EvictionLoops::Known& EvictionLoops::known(const Controller& controller) {
  const auto found =
      std::find_if(controllers_.begin(), controllers_.end(),
                   [&](const Known& known) { return known.controller.uid == controller.uid; });
  if (found != controllers_.end()) {
    // The most recently evicted controller stands last.
    std::rotate(found, found + 1, controllers_.end());
    return controllers_.back();
  }
  controllers_.push_back({.controller = controller});
  if (controllers_.size() > kMostControllers) {
    controllers_.erase(controllers_.begin());
  }
  return controllers_.back();
}

bool EvictionLoops::closes_loop(const ControlledEviction& eviction) const {
  const Known* const known = find(eviction.controller.uid);
  return known != nullptr && uncounted_at(*known, eviction.at) + 1 >= kEvictionsOfALoop;
}

void EvictionLoops::take(const ControlledEviction& eviction) {
  const bool is_loop = closes_loop(eviction);
  forget_old(eviction.at);
  Known& known = this->known(eviction.controller);
  known.evictions.push_back({.pod_uid = eviction.pod_uid, .id = eviction.id, .at = eviction.at});
  if (known.evictions.size() > kMostEvictions) {
    known.evictions.erase(known.evictions.begin());
  }
  known.uncounted = std::min(known.uncounted + 1, known.evictions.size());
  if (is_loop) {
    known.uncounted = 0;
    ++known.loops;
    known.looped_at = eviction.at;
    damp(eviction.at);
  }
}

/// A controller that was in a loop stays for the longest time that a loop can affect.
void EvictionLoops::forget_old(WallTime now) {
  std::erase_if(controllers_, [&](const Known& known) {
    const Duration kept = known.loops == 0 ? kWindow : kLongestDamping;
    return known.evictions.empty() || known.evictions.back().at + kept < now;
  });
}

void EvictionLoops::damp(WallTime at) {
  // The clock was ahead when this time was computed.
  if (damped_until_ > at + kLongestDamping) {
    damped_until_ = {};
  }
  if (at > damped_until_ + kLongestDamping) {
    damping_ = kFirstDamping;
  }
  damped_until_ = std::max(damped_until_, at + damping_);
  damping_ = std::min(2 * damping_, kLongestDamping);
}

std::optional<WallTime> EvictionLoops::damped_until(WallTime now) const {
  const bool is_damped = damped_until_ > now && damped_until_ <= now + kLongestDamping;
  return is_damped ? std::optional(damped_until_) : std::nullopt;
}

}  // namespace evictd::kube
