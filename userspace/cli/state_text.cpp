// SPDX-License-Identifier: Apache-2.0
#include "cli/state_text.h"

#include "eviction/message.h"

namespace evictd::cli {

std::string state_text(std::string_view state) {
  return std::string(state == "exceeded_grace" ? eviction::kExceededGraceReason : state);
}

}  // namespace evictd::cli
