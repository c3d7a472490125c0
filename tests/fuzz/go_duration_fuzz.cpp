// SPDX-License-Identifier: Apache-2.0
// A duration's sign is that of its text, and a minus in front negates what the rest reads as.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "core/go_duration.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using evictd::core::parse_go_duration;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto duration = parse_go_duration(text);
  if (!duration || text.starts_with('-') || text.starts_with('+')) {
    return 0;
  }
  const auto negated = parse_go_duration("-" + std::string(text));
  if (duration->count() < 0 || !negated || *negated != -*duration) {
    std::abort();
  }
  return 0;
}
