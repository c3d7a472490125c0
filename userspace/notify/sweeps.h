// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "evictd/time.h"
#include "notify/terms.h"

namespace evictd::notify {

/// Whose eventfds are looked at when, to see who has closed his. A look is two system calls into
/// another process, so that many are not made in one go: others wait.
struct Sweeps {
  /// All eventfds are looked at once in this time; those that were signalled, soon after.
  static constexpr Duration kPeriod = std::chrono::seconds(5);
  /// Of all, so many are looked at in one go.
  static constexpr std::size_t kTurn = 64;

  /// From one turn to the next where `all` are looked at.
  [[nodiscard]] static Duration pause(std::size_t all) {
    const std::size_t turns = std::max<std::size_t>((all + kTurn - 1) / kTurn, 1);
    return kPeriod / static_cast<Duration::rep>(turns);
  }

  /// Told lately: their eventfds are looked at soon.
  std::vector<RegistrationId> recent;
  MonoTime recent_due{};
  /// When the next turn is; the epoch before there was any registration.
  MonoTime next{};
  /// Who was looked at last in a turn; 0 at the end of a round.
  RegistrationId last = 0;
};

}  // namespace evictd::notify
