// SPDX-License-Identifier: Apache-2.0
#include "harness/hand_out.h"

#include <chrono>
#include <cstdlib>
#include <string>

#include "evictd/try.h"
#include "stage/child.h"

namespace evictd::bench {
namespace {

/// Packing a file of a few hundred kilobytes takes a second in an emulated machine.
constexpr std::chrono::seconds kDeadline{60};

}  // namespace

Result<> hand_out() {
  const char* program = std::getenv("EVICTD_VM_HAND_OUT");
  if (program == nullptr) {
    return {};
  }
  EVICTD_ASSIGN_OR_RETURN(stage::Child child, stage::Child::start({.argv = {program}}));
  EVICTD_ASSIGN_OR_RETURN(const stage::ChildExit end, EVICTD_IN(program, child.wait(kDeadline)));
  if (end.status != 0) {
    return fail(Errc::kIo, std::string{program} + " ended with " + end.text());
  }
  return {};
}

}  // namespace evictd::bench
