// SPDX-License-Identifier: Apache-2.0
#include "export/record_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include "base/regular_file.h"
#include "base/write_all.h"
#include "evictd/try.h"

namespace evictd::exporting {

namespace {

/// A node's records are not readable for everybody.
constexpr mode_t kMode = 0600;

}  // namespace

std::filesystem::path RecordFile::numbered(int number) const {
  return number == 0 ? options_.path
                     : std::filesystem::path(options_.path.string() + "." + std::to_string(number));
}

Result<> RecordFile::open() {
  std::error_code ignored;  // A missing directory shows when the file is opened.
  std::filesystem::create_directories(options_.path.parent_path(), ignored);
  fd_.reset();
  EVICTD_ASSIGN_OR_RETURN(
      base::Fd fd, base::open_regular_file_to_write(options_.path, O_RDWR | O_APPEND, kMode));
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) {
    return fail_errno(errno, "open " + options_.path.string());
  }
  fd_ = std::move(fd);
  size_ = status.st_size;
  return cut_unfinished_line();
}

Result<> RecordFile::cut_unfinished_line() {
  std::array<char, 65536> block{};
  std::int64_t end = size_;
  while (end > 0) {
    const std::int64_t begin = std::max<std::int64_t>(0, end - std::int64_t{block.size()});
    const ssize_t got =
        ::pread(fd_.get(), block.data(), static_cast<std::size_t>(end - begin), begin);
    if (got <= 0) {
      return fail_errno(got < 0 ? errno : EIO, "read " + options_.path.string());
    }
    const std::size_t line_end =
        std::string_view(block.data(), static_cast<std::size_t>(got)).rfind('\n');
    if (line_end != std::string_view::npos) {
      end = begin + static_cast<std::int64_t>(line_end) + 1;
      break;
    }
    end = begin;
  }
  if (end != size_) {
    if (::ftruncate(fd_.get(), end) != 0) {
      return fail_errno(errno, "cut the unfinished line of " + options_.path.string());
    }
    size_ = end;
  }
  return {};
}

bool RecordFile::was_taken_away() const {
  struct stat ours {};
  struct stat named {};
  if (::fstat(fd_.get(), &ours) != 0 || ::stat(options_.path.c_str(), &named) != 0) {
    return true;
  }
  return ours.st_dev != named.st_dev || ours.st_ino != named.st_ino;
}

Result<> RecordFile::rotate() {
  fd_.reset();
  if (options_.files <= 1) {
    if (::unlink(options_.path.c_str()) != 0 && errno != ENOENT) {
      return fail_errno(errno, "remove " + options_.path.string());
    }
    return open();
  }
  for (int number = options_.files - 1; number > 0; --number) {
    const std::filesystem::path from = numbered(number - 1);
    if (::rename(from.c_str(), numbered(number).c_str()) != 0 && errno != ENOENT) {
      return fail_errno(errno, "rename " + from.string());
    }
  }
  return open();
}

Result<> RecordFile::append(std::string_view line, Durability durability) {
  if (!fd_ || was_taken_away()) {
    EVICTD_TRY(open());
  }
  const auto length = static_cast<std::int64_t>(line.size()) + 1;
  if (size_ > 0 && size_ + length > options_.max_bytes) {
    EVICTD_TRY(rotate());
  }
  // One call for the whole line, so that a reader that follows the file sees all of it or nothing.
  std::string whole(line);
  whole += '\n';
  if (Result<> written = base::write_all(fd_.get(), whole, options_.path.string()); !written) {
    // Removes a partly written line; if even that fails, the next open() does it.
    if (::ftruncate(fd_.get(), size_) != 0) {
      fd_.reset();
    }
    return written;
  }
  size_ += length;
  if (durability == Durability::kSynced && ::fdatasync(fd_.get()) != 0 && errno != EINVAL) {
    return fail_errno(errno, "sync " + options_.path.string());
  }
  return {};
}

}  // namespace evictd::exporting
