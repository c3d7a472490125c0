// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "evictd/time.h"
#include "notify/terms.h"

namespace evictd::notify {

/// Schedules the checks that find eventfds closed by their owners. A check is two system calls into
/// another process; each turn makes only some, so that others do not wait.
struct Sweeps {
  /// Each eventfd is checked once per period; signalled ones are checked soon after.
  static constexpr Duration kPeriod = std::chrono::seconds(5);
  /// Eventfds checked in one regular turn.
  static constexpr std::size_t kTurn = 64;

  /// Time between two turns if `all` eventfds are checked.
  [[nodiscard]] static Duration pause(std::size_t all) {
    const std::size_t turns = std::max<std::size_t>((all + kTurn - 1) / kTurn, 1);
    return kPeriod / static_cast<Duration::rep>(turns);
  }

  /// Signalled lately: their eventfds are checked soon.
  std::vector<RegistrationId> recent;
  MonoTime recent_due{};
  /// When the next turn is due; the epoch before the first registration.
  MonoTime next{};
  /// The registration checked last; 0 at the end of a round.
  RegistrationId last = 0;
};

}  // namespace evictd::notify
