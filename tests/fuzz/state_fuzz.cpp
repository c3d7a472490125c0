// SPDX-License-Identifier: Apache-2.0
// Any text is a state that reads back as it is written, or is refused with a reason; both as it is
// and behind a checksum that fits it, which no mutation would find.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "daemon/state/saved_state.h"

namespace {

using namespace evictd;
using daemon::StateOrigin;

constexpr MonoTime kNow{std::chrono::seconds(1000)};

void read(std::string_view text) {
  const StateOrigin here{.boot_id = "b", .pod_root = "/p", .pod_root_id = 7};
  const auto state = daemon::parse_state(text, here, kNow);
  if (!state) {
    if (state.error().message().empty()) {
      std::abort();
    }
    return;
  }
  const auto again = daemon::parse_state(daemon::to_text(*state), here, kNow);
  if (!again || *again != *state) {
    std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  read(text);
  read(daemon::sealed_state(text));
  return 0;
}
