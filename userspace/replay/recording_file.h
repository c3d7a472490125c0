// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "base/fd.h"
#include "evictd/result.h"

struct ZSTD_CCtx_s;

namespace evictd::replay {

/// A recording as it is written: lines of JSON in zstd frames. Each frame holds whole lines and its
/// own checksum, so that what is cut short loses its last frame and no more. `zstd -dc` shows the
/// lines. Blocks as the disk does.
class RecordingFile {
 public:
  /// Begins a new file; one that is there is renamed to FILE.1.
  /// Errors: kInvalid for what is there but no regular file, else as rename(2) and open(2); with
  /// the path.
  [[nodiscard]] static Result<RecordingFile> create(const std::filesystem::path& path);

  /// Takes lines, each with its line end; they are written with the next flush().
  void add(std::string_view lines);
  [[nodiscard]] std::size_t unwritten() const { return lines_.size(); }
  /// Writes what was added as one frame. After a failure the file ends before it.
  /// Errors: as write(2), with the path.
  Result<> flush();

  /// Compressed bytes in the file.
  [[nodiscard]] std::uint64_t size() const { return size_; }

 private:
  struct FreeContext {
    void operator()(ZSTD_CCtx_s* context) const;
  };

  RecordingFile(std::filesystem::path path, base::Fd fd);

  std::filesystem::path path_;
  base::Fd fd_;
  std::unique_ptr<ZSTD_CCtx_s, FreeContext> context_;
  std::string lines_;
  std::string frame_;
  std::uint64_t size_ = 0;
};

/// The most text that a reader takes in one frame; a writer flushes long before.
inline constexpr std::size_t kMostFrameText = std::size_t{64} << 20U;

}  // namespace evictd::replay
