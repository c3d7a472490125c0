// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/fd.h"
#include "evictd/result.h"
#include "sys/root.h"

namespace evictd::sys {

/// The result of reading a kept file: the text, or the errno of the read. cgroupfs returns ENODEV
/// once the cgroup is removed; EFBIG means that the text did not fit the buffer.
struct KeptText {
  std::string_view text;
  int sys_errno = 0;

  [[nodiscard]] bool gone() const;
  [[nodiscard]] explicit operator bool() const { return sys_errno == 0; }
};

/// Room for the longest text that a pass reads: memory.stat has about 2 KiB, /proc/meminfo 1.5 KiB.
using ReadBuffer = std::array<char, 16 * 1024>;

/// One small kernel file, opened once and read repeatedly from its start. The kernel generates the
/// text again at each read from offset 0.
/// Never keep cgroup.procs of a v1 hierarchy open: the kernel answers from a list that it caches
/// until the descriptor was idle for a second. Thread rule: only one thread ever reads it; two
/// would wait for each other in the kernel.
class KeptFile {
 public:
  /// Holds nothing; read() answers EBADF.
  KeptFile() = default;

  /// Errors: those of Root::open_file.
  [[nodiscard]] static Result<KeptFile> open(const Root& root, std::string_view path);
  /// Opens `name` relative to the open `directory`. The last part must not be a symbolic link.
  /// Errors: as open().
  [[nodiscard]] static Result<KeptFile> open_below(int directory, const std::string& name);

  /// Reads into `buffer`; the result points into it. One pread, no allocation: safe on the hot
  /// thread.
  [[nodiscard]] KeptText read(std::span<char> buffer) const;

  [[nodiscard]] int fd() const { return fd_.get(); }
  [[nodiscard]] explicit operator bool() const { return static_cast<bool>(fd_); }

 private:
  explicit KeptFile(base::Fd fd) : fd_(std::move(fd)) {}

  base::Fd fd_;
};

}  // namespace evictd::sys
