// SPDX-License-Identifier: Apache-2.0
#include "base/regular_file.h"

#include <cerrno>
#include <system_error>

namespace evictd::base {

Result<std::ifstream> open_regular_file(const std::filesystem::path& file) {
  std::error_code error;
  if (std::filesystem::exists(file, error) && !std::filesystem::is_regular_file(file, error)) {
    return fail(Errc::kInvalid, "read " + file.string() + ": not a regular file");
  }
  std::ifstream in(file, std::ios::binary);
  if (!in) {
    return fail_errno(errno, "read " + file.string());
  }
  return in;
}

}  // namespace evictd::base
