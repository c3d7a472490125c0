// SPDX-License-Identifier: Apache-2.0
#include "replay/recording_file.h"

#include <fcntl.h>
#include <unistd.h>
#include <zstd.h>

#include <cerrno>

#include "base/regular_file.h"
#include "base/write_all.h"
#include "evictd/try.h"

namespace evictd::replay {

namespace {

/// What evictd saw of a node is not for everybody.
constexpr mode_t kMode = 0600;

}  // namespace

void RecordingFile::FreeContext::operator()(ZSTD_CCtx_s* context) const {
  ZSTD_freeCCtx(context);
}

RecordingFile::RecordingFile(std::filesystem::path path, base::Fd fd)
    : path_(std::move(path)), fd_(std::move(fd)), context_(ZSTD_createCCtx()) {
  ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_checksumFlag, 1);
}

Result<RecordingFile> RecordingFile::create(const std::filesystem::path& path) {
  const std::filesystem::path before = path.string() + ".1";
  std::error_code ignored;
  if (std::filesystem::is_regular_file(path, ignored) &&
      ::rename(path.c_str(), before.c_str()) != 0) {
    return fail_errno(errno, "rename " + path.string());
  }
  EVICTD_ASSIGN_OR_RETURN(base::Fd fd,
                          base::open_regular_file_to_write(path, O_WRONLY | O_TRUNC, kMode));
  return RecordingFile(path, std::move(fd));
}

void RecordingFile::add(std::string_view lines) {
  lines_ += lines;
}

Result<> RecordingFile::flush() {
  if (lines_.empty()) {
    return {};
  }
  frame_.resize(ZSTD_compressBound(lines_.size()));
  const std::size_t packed =
      ZSTD_compress2(context_.get(), frame_.data(), frame_.size(), lines_.data(), lines_.size());
  lines_.clear();
  if (ZSTD_isError(packed) != 0) {
    return fail(Errc::kExhausted, path_.string() + ": zstd: " + ZSTD_getErrorName(packed));
  }
  if (Result<> written =
          base::write_all(fd_.get(), std::string_view(frame_.data(), packed), path_.string());
      !written) {
    // Where even this fails a reader takes the half frame for the end.
    static_cast<void>(::ftruncate(fd_.get(), static_cast<off_t>(size_)) == 0);
    return written;
  }
  size_ += packed;
  return {};
}

}  // namespace evictd::replay
