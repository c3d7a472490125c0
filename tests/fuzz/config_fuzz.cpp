// SPDX-License-Identifier: Apache-2.0
// A configuration is accepted whole, and then what is printed of it reads as the same; or it is
// refused with one line that names the file.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "config/change.h"
#include "config/config.h"
#include "config/effective.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto config = evictd::config::parse(text, "fuzz.yaml");
  if (config) {
    const auto again = evictd::config::parse(evictd::config::effective_yaml(*config), "again.yaml");
    if (!again || !(*again == *config) || !evictd::config::diff(*config, *again).empty()) {
      std::abort();
    }
    return 0;
  }
  const std::string message = config.error().message();
  if (!message.starts_with("fuzz.yaml") || message.find('\n') != std::string::npos) {
    std::abort();
  }
  return 0;
}
