// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <span>

namespace evictd::notify {

/// How many items of a shared supply a user may hold.
struct ShareLimits {
  static constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

  std::size_t root = kAll;
  /// For each user except root.
  std::size_t user = kAll;
  /// For all users except root together; only root can use the rest.
  std::size_t others = kAll;
};

/// Tracks which user holds which items of a limited supply, and whether more are allowed. An item
/// counts once for each user who holds it, however often, and once for all users except root. Pure.
template <typename Thing>
class Shares {
 public:
  explicit Shares(ShareLimits limits = {}) : limits_(limits) {}

  /// Items already held stay.
  void limit(ShareLimits limits) { limits_ = limits; }
  /// 0, or why `user` may not also hold `wanted` (distinct): EDQUOT if its own share is used up,
  /// ENOSPC if the share of all users except root is.
  [[nodiscard]] int check(uid_t user, std::span<const Thing> wanted) const {
    const auto own = held_.find(user);
    const std::size_t most = user == 0 ? limits_.root : limits_.user;
    if (count_with(own == held_.end() ? nullptr : &own->second, wanted) > most) {
      return EDQUOT;
    }
    return user != 0 && count_with(&of_others_, wanted) > limits_.others ? ENOSPC : 0;
  }
  void add(uid_t user, const Thing& thing) {
    ++held_[user][thing];
    if (user != 0) {
      ++of_others_[thing];
    }
  }
  /// Undoes one add().
  void remove(uid_t user, const Thing& thing) {
    const auto own = held_.find(user);
    if (own == held_.end() || !take_off(own->second, thing)) {
      return;
    }
    if (own->second.empty()) {
      held_.erase(own);
    }
    if (user != 0) {
      take_off(of_others_, thing);
    }
  }

 private:
  /// Item -> number of times held.
  using Held = std::map<Thing, std::uint32_t>;

  /// How many items there would be; 0 if none is new.
  static std::size_t count_with(const Held* held, std::span<const Thing> wanted) {
    const auto more = std::count_if(wanted.begin(), wanted.end(), [&](const Thing& thing) {
      return held == nullptr || !held->contains(thing);
    });
    return more == 0 ? 0 : static_cast<std::size_t>(more) + (held == nullptr ? 0 : held->size());
  }
  /// Returns whether it was held.
  static bool take_off(Held& held, const Thing& thing) {
    const auto found = held.find(thing);
    if (found == held.end()) {
      return false;
    }
    if (--found->second == 0) {
      held.erase(found);
    }
    return true;
  }

  ShareLimits limits_;
  std::map<uid_t, Held> held_;
  Held of_others_;
};

}  // namespace evictd::notify
