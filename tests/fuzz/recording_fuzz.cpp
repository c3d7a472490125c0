// SPDX-License-Identifier: Apache-2.0
// Any bytes are a recording that replays, with or without a difference and with anything otherwise,
// or are refused with one line that names the file. Text is tried as the lines of a frame too, as
// no mutation of packed bytes would get that far.
#include <zstd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "replay/replay.h"
#include "replay/what_if.h"

namespace {

void try_bytes(std::string_view bytes) {
  using namespace evictd::replay;
  const auto recording = parse_recording(bytes, "fuzz");
  if (!recording) {
    const std::string message = recording.error().message();
    if (!message.starts_with("fuzz: ") || message.find('\n') != std::string::npos) {
      std::abort();
    }
    return;
  }
  static_cast<void>(verify(*recording));
  WhatIf changes;
  changes.without_events = true;
  changes.interval = std::chrono::hours(1);
  static_cast<void>(what_if(*recording, changes));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try_bytes(text);
  std::string frame(ZSTD_compressBound(size), '\0');
  frame.resize(ZSTD_compress(frame.data(), frame.size(), data, size, 1));
  try_bytes(frame);
  return 0;
}
