// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/fd.h"
#include "load/run.h"

namespace evictd::load {

enum class FillWith {
  kBytes,   ///< One file that grows.
  kInodes,  ///< Empty files, one after another.
};

/// Files that use up a filesystem. They are never removed; a full filesystem is retried.
class FillWork final : public Work {
 public:
  struct Options {
    FillWith with = FillWith::kBytes;
    /// Must exist. Files in it are named evict-load-PID-N.
    std::string directory;
  };

  explicit FillWork(Options options) : options_(std::move(options)) {}

  Result<> prepare() override;
  /// `units`: bytes or files. Errors: those of open(2) and write(2), except ENOSPC and EDQUOT,
  /// which return 0.
  Result<std::uint64_t> add(std::uint64_t units) override;

 private:
  [[nodiscard]] Result<std::uint64_t> add_bytes(std::uint64_t bytes);
  [[nodiscard]] Result<std::uint64_t> add_files(std::uint64_t files);
  [[nodiscard]] std::string next_name();

  Options options_;
  std::uint64_t files_ = 0;
  base::Fd file_;
  std::vector<char> text_;
};

}  // namespace evictd::load
