// SPDX-License-Identifier: Apache-2.0
#include "harness/machine.h"

#include <string>
#include <string_view>

#include "stage/text_file.h"

namespace evictd::bench {

Result<Bytes> memory_total() {
  const Result<std::string> text = stage::read_text("/proc/meminfo");
  if (!text) {
    return tl::unexpected(text.error());
  }
  const std::size_t digits = text->find_first_of("0123456789");
  return stage::parse_number(std::string_view{*text}.substr(digits)).map([](std::int64_t kib) {
    return Bytes{kib * 1024};
  });
}

}  // namespace evictd::bench
