// SPDX-License-Identifier: Apache-2.0
#include "stage/text_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <limits>

#include "base/fd.h"
#include "base/read_up_to.h"

namespace evictd::stage {

Result<std::string> read_text(const std::filesystem::path& path) {
  const base::Fd fd{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (!fd) {
    return fail_errno(errno, "read " + path.string());
  }
  return base::read_up_to(fd.get(), std::numeric_limits<std::size_t>::max(), path.string());
}

Result<> write_kernel_file(const std::filesystem::path& path, std::string_view text) {
  const base::Fd fd{::open(path.c_str(), O_WRONLY | O_CLOEXEC)};
  if (!fd || ::write(fd.get(), text.data(), text.size()) < 0) {
    return fail_errno(errno, "write \"" + std::string{text} + "\" to " + path.string());
  }
  return {};
}

Result<> replace_file(const std::filesystem::path& path, std::string_view text) {
  const std::filesystem::path draft = path.string() + ".new";
  const base::Fd fd{::open(draft.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)};
  if (!fd || ::write(fd.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()) ||
      ::rename(draft.c_str(), path.c_str()) != 0) {
    return fail_errno(errno, "write " + path.string());
  }
  return {};
}

Result<std::int64_t> parse_number(std::string_view text) {
  if (text.starts_with("max")) {
    return std::numeric_limits<std::int64_t>::max();
  }
  std::uint64_t number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  if (parsed.ec != std::errc{}) {
    return fail(Errc::kMalformed, "\"" + std::string{text} + "\" is no number");
  }
  constexpr std::uint64_t kLargest = std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(number < kLargest ? number : kLargest);
}

Result<std::int64_t> number_after(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    if (line.starts_with(key) && line.size() > key.size() && line[key.size()] == ' ') {
      return parse_number(line.substr(key.size() + 1));
    }
    text.remove_prefix(line.size() < text.size() ? line.size() + 1 : line.size());
  }
  return fail(Errc::kNotFound, "no line \"" + std::string{key} + "\"");
}

}  // namespace evictd::stage
