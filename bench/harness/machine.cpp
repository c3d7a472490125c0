// SPDX-License-Identifier: Apache-2.0
#include "harness/machine.h"

#include <algorithm>
#include <string>

#include "evictd/try.h"
#include "stage/text_file.h"

namespace evictd::bench {

namespace {

constexpr const char* kMeminfo = "/proc/meminfo";

}  // namespace

Result<Bytes> meminfo_amount(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    if (line.starts_with(key) && line.substr(key.size()).starts_with(':')) {
      const std::size_t digits = std::min(line.find_first_of("0123456789"), line.size());
      return stage::parse_number(line.substr(digits)).map([](std::int64_t kib) {
        return Bytes{kib * 1024};
      });
    }
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return fail(Errc::kNotFound, std::string{kMeminfo} + ": no " + std::string{key});
}

Result<Bytes> memory_total() {
  const Result<std::string> text = stage::read_text(kMeminfo);
  return text ? meminfo_amount(*text, "MemTotal") : tl::unexpected(text.error());
}

Result<Bytes> swap_used() {
  EVICTD_ASSIGN_OR_RETURN(const std::string text, stage::read_text(kMeminfo));
  const Result<Bytes> total = meminfo_amount(text, "SwapTotal");
  const Result<Bytes> unused = meminfo_amount(text, "SwapFree");
  if (!total || !unused) {
    return tl::unexpected(total ? unused.error() : total.error());
  }
  return *total - *unused;
}

}  // namespace evictd::bench
