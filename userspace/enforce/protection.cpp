// SPDX-License-Identifier: Apache-2.0
#include "enforce/protection.h"

namespace evictd::enforce {

std::string_view to_string(Protection protection) {
  switch (protection) {
    case Protection::kNone:
      return "none";
    case Protection::kStatic:
      return "static";
    case Protection::kMirror:
      return "mirror";
    case Protection::kCritical:
      return "critical";
    case Protection::kNeverEvict:
      return "never_evict";
    case Protection::kUnknown:
      return "unknown";
    case Protection::kOutsideRoot:
      return "outside_root";
    case Protection::kOwnProcess:
      return "own_process";
  }
  return "none";
}

std::string_view reason_of(Protection protection) {
  switch (protection) {
    case Protection::kNone:
      return "not protected";
    case Protection::kStatic:
      return "static pod";
    case Protection::kMirror:
      return "mirror pod";
    case Protection::kCritical:
      return "critical pod";
    case Protection::kNeverEvict:
      return "never evict";
    case Protection::kUnknown:
      return "unknown pod";
    case Protection::kOutsideRoot:
      return "outside root";
    case Protection::kOwnProcess:
      return "own process";
  }
  return "protected";
}

}  // namespace evictd::enforce
