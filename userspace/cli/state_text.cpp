// SPDX-License-Identifier: Apache-2.0
#include "cli/state_text.h"

#include "eviction/message.h"

namespace evictd::cli {

std::string state_text(std::string_view state) {
  return std::string(state == "exceeded_grace" ? eviction::kExceededGraceReason : state);
}

std::string dry_run_state_text(std::string_view state) {
  if (state == "terminating") {
    return "counts as in its grace";
  }
  return state == "released" ? "no longer counts as evicted" : "counts as " + state_text(state);
}

}  // namespace evictd::cli
