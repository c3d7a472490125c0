// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/fd.h"
#include "evictd/load_stamps.h"
#include "evictd/result.h"

namespace evictd::load {

/// CLOCK_MONOTONIC now, in nanoseconds.
[[nodiscard]] std::uint64_t now_ns();

/// Writes the stamp log that include/evictd/load_stamps.h describes.
class StampWriter {
 public:
  struct Options {
    /// The file to create; empty: nothing is written.
    std::string path;
    LoadKind kind = LoadKind::kMemory;
    std::uint64_t batch = 0;
    std::uint64_t page_bytes = 0;
    /// Entries of the ring. At 256 KiB a batch they cover 64 GiB of touched memory.
    std::uint64_t capacity = std::uint64_t{1} << 18;
    /// Read after each batch; empty: none.
    std::string usage_file;
  };

  /// Creates the file and touches all of it, so that later stamps cause no page fault and the
  /// memory is charged to the caller. Errors: those of the system calls, with the file's name.
  [[nodiscard]] static Result<StampWriter> create(const Options& options);

  StampWriter(StampWriter&& other) noexcept;
  StampWriter& operator=(StampWriter&& other) noexcept;
  StampWriter(const StampWriter&) = delete;
  StampWriter& operator=(const StampWriter&) = delete;
  ~StampWriter();

  void set_state(LoadState state);
  /// Adds one batch. Cost: two stores and a store with release order; with a usage file also a
  /// pread.
  void add(std::uint64_t start_ns, std::uint64_t end_ns, std::uint64_t total);
  /// Counts one attempt at which nothing was possible.
  void add_refused();
  /// Counts that such an attempt came before any SIGTERM.
  void add_refused_untold();

 private:
  StampWriter() = default;
  [[nodiscard]] Result<> map(const Options& options);
  [[nodiscard]] std::int64_t read_usage() const;

  LoadStampHeader* header_ = nullptr;
  LoadStamp* entries_ = nullptr;
  std::size_t bytes_ = 0;
  base::Fd usage_;
};

}  // namespace evictd::load
