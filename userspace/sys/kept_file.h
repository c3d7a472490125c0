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

/// What one reading of a kept file gave: the text, or the errno of the read. ENODEV is what
/// cgroupfs answers once the cgroup is removed; EFBIG means that the text did not fit the buffer.
struct KeptText {
  std::string_view text;
  int sys_errno = 0;

  [[nodiscard]] bool gone() const;
  [[nodiscard]] explicit operator bool() const { return sys_errno == 0; }
};

/// Room for the longest text that a pass reads: memory.stat is about 2 KiB, /proc/meminfo 1.5 KiB.
using ReadBuffer = std::array<char, 16 * 1024>;

/// One small kernel file, opened once and read again and again from its start. The kernel makes the
/// text anew at each read from offset 0.
/// Never keep cgroup.procs of a v1 hierarchy: there the kernel answers a kept descriptor from a
/// list that it caches until the descriptor was left alone for a second. Thread rule: one
/// thread reads it, ever: two would wait for each other in the kernel.
class KeptFile {
 public:
  /// Holds nothing; read() answers EBADF.
  KeptFile() = default;

  /// Errors: those of Root::open_file.
  [[nodiscard]] static Result<KeptFile> open(const Root& root, std::string_view path);
  /// `name` in the directory that `directory` has open, or below it. It must be no symbolic link
  /// itself. Errors: as open().
  [[nodiscard]] static Result<KeptFile> open_below(int directory, const std::string& name);

  /// Reads into `buffer`; the answer points into it. One pread, no allocation: fit for the hot
  /// thread.
  [[nodiscard]] KeptText read(std::span<char> buffer) const;

  [[nodiscard]] int fd() const { return fd_.get(); }
  [[nodiscard]] explicit operator bool() const { return static_cast<bool>(fd_); }

 private:
  explicit KeptFile(base::Fd fd) : fd_(std::move(fd)) {}

  base::Fd fd_;
};

}  // namespace evictd::sys
