// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csignal>

#include "evictd/result.h"

namespace evictd::bench {

/// While it lives, SIGINT and SIGTERM only set a flag, so that a bench unwinds and its destructors
/// remove its cgroups and processes. At most one object at a time.
class Interrupt {
 public:
  Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;
  ~Interrupt();

  [[nodiscard]] static bool requested();
  /// Errors: kBusy after one of the signals.
  [[nodiscard]] static Result<> check();

 private:
  struct sigaction old_int_ {};
  struct sigaction old_term_ {};
};

}  // namespace evictd::bench
