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

/// How many of something that all users take from may be somebody's.
struct ShareLimits {
  static constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

  std::size_t root = kAll;
  /// Each other one's.
  std::size_t user = kAll;
  /// All users' but root's together: what is left is root's alone.
  std::size_t others = kAll;
};

/// Who has how many things of which there are only so many, and whether there may be more. A thing
/// counts once for each user who has it, however often, and once for all users but root. Pure.
template <typename Thing>
class Shares {
 public:
  explicit Shares(ShareLimits limits = {}) : limits_(limits) {}

  /// What is held already stays.
  void limit(ShareLimits limits) { limits_ = limits; }
  /// 0, or why `user` may not have `wanted` (distinct) too: EDQUOT its own share, ENOSPC that of
  /// all users but root.
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
  /// Takes back one add().
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
  /// How often.
  using Held = std::map<Thing, std::uint32_t>;

  /// How many there would be; 0 where none is new.
  static std::size_t count_with(const Held* held, std::span<const Thing> wanted) {
    const auto more = std::count_if(wanted.begin(), wanted.end(), [&](const Thing& thing) {
      return held == nullptr || !held->contains(thing);
    });
    return more == 0 ? 0 : static_cast<std::size_t>(more) + (held == nullptr ? 0 : held->size());
  }
  /// Returns whether it was there.
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
