// SPDX-License-Identifier: Apache-2.0
#include "harness/interrupt.h"

namespace evictd::bench {
namespace {

/// A signal handler can access nothing else.
volatile std::sig_atomic_t interrupted = 0;  // NOLINT(*-avoid-non-const-global-variables)

void set_interrupted(int /*number*/) {
  interrupted = 1;
}

}  // namespace

Interrupt::Interrupt() {
  struct sigaction action {};
  action.sa_handler = set_interrupted;
  ::sigaction(SIGINT, &action, &old_int_);
  ::sigaction(SIGTERM, &action, &old_term_);
}

Interrupt::~Interrupt() {
  ::sigaction(SIGINT, &old_int_, nullptr);
  ::sigaction(SIGTERM, &old_term_, nullptr);
}

bool Interrupt::requested() {
  return interrupted != 0;
}

Result<> Interrupt::check() {
  return requested() ? fail(Errc::kBusy, "interrupted; unfinished results are not written")
                     : Result<>();
}

}  // namespace evictd::bench
