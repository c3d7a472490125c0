// SPDX-License-Identifier: Apache-2.0
#include "process_facts.h"

#include <filesystem>
#include <string>

#include "stage/text_file.h"

namespace evictd::churn {

Result<std::int64_t> number_of(std::string_view text, std::string_view key) {
  const std::string start = std::string(key) + ":";
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    if (line.starts_with(start)) {
      const std::size_t number = line.find_first_not_of(" \t", start.size());
      return stage::parse_number(number == std::string_view::npos ? "" : line.substr(number));
    }
    text.remove_prefix(line.size() < text.size() ? line.size() + 1 : line.size());
  }
  return fail(Errc::kNotFound, "no line " + start);
}

Result<Bytes> resident_memory(pid_t process) {
  const Result<std::string> text = stage::read_text("/proc/" + std::to_string(process) + "/status");
  const Result<std::int64_t> kib =
      text ? number_of(*text, "VmRSS") : Result<std::int64_t>(tl::unexpected(text.error()));
  return kib.map([](std::int64_t value) { return Bytes{value * 1024}; });
}

Result<std::size_t> open_descriptors(pid_t process) {
  const std::filesystem::path folder = "/proc/" + std::to_string(process) + "/fd";
  std::error_code error;
  std::size_t count = 0;
  for (std::filesystem::directory_iterator entry{folder, error}, end; !error && entry != end;
       entry.increment(error)) {
    ++count;
  }
  if (error) {
    return fail_errno(error.value(), "list " + folder.string());
  }
  return count;
}

}  // namespace evictd::churn
