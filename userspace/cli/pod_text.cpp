// SPDX-License-Identifier: Apache-2.0
#include "cli/pod_text.h"

#include <fmt/format.h>

namespace evictd::cli {

std::string pod_text(std::string_view ns, std::string_view name, std::string_view uid) {
  if (name.empty()) {
    return std::string(uid);
  }
  return ns.empty() ? std::string(name) : fmt::format("{}/{}", ns, name);
}

}  // namespace evictd::cli
