// SPDX-License-Identifier: Apache-2.0
// Any text is lines of records, each of which reads back as it is written, or is refused with an
// error that names a place.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "export/eviction_record.h"
#include "export/record_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace evictd::exporting;
  const auto lines =
      read_record_text(std::string_view(reinterpret_cast<const char*>(data), size), "fuzz");
  if (!lines) {
    if (!lines.error().message().starts_with("fuzz:")) {
      std::abort();
    }
    return 0;
  }
  for (const auto& line : lines->lines) {
    const auto record = record_from_json(line.json);
    if (!record) {
      if (record.error().message().empty()) {
        std::abort();
      }
      continue;
    }
    const auto json = to_json(*record);
    const auto again = record_from_json(json);
    if (!again || to_json(*again) != json) {
      std::abort();
    }
  }
  return 0;
}
