// SPDX-License-Identifier: Apache-2.0
#include "load/stamp_log.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace evictd::load {

namespace {

/// Reads a value that the writer may be changing.
template <typename T>
T read_live(const T& field) {
  return __atomic_load_n(&field, __ATOMIC_ACQUIRE);
}

}  // namespace

Result<StampLog> StampLog::open(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    return fail_errno(errno, "open " + path);
  }
  struct stat status = {};
  const bool known = ::fstat(fd, &status) == 0;
  const std::size_t bytes = known ? static_cast<std::size_t>(status.st_size) : 0;
  void* map = MAP_FAILED;
  if (bytes >= sizeof(LoadStampHeader)) {
    map = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, fd, 0);
  }
  ::close(fd);
  if (map == MAP_FAILED) {
    return fail(Errc::kMalformed, path + " is too short for a stamp log");
  }
  StampLog log(map, bytes);
  const LoadStampHeader& header = log.header();
  // The magic is written last, so the rest of the header is complete once it is present.
  const bool whole = read_live(header.magic) == kStampMagic && header.version == kStampVersion &&
                     header.header_bytes >= sizeof(LoadStampHeader) && header.capacity > 0 &&
                     header.capacity <= (bytes - header.header_bytes) / sizeof(LoadStamp);
  if (!whole) {
    return fail(Errc::kMalformed, path + " is not a stamp log of this version, or not written yet");
  }
  return log;
}

StampLog::StampLog(StampLog&& other) noexcept
    : map_(std::exchange(other.map_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

StampLog& StampLog::operator=(StampLog&& other) noexcept {
  std::swap(map_, other.map_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

StampLog::~StampLog() {
  if (map_ != nullptr) {
    ::munmap(map_, bytes_);
  }
}

const LoadStampHeader& StampLog::header() const {
  return *static_cast<const LoadStampHeader*>(map_);
}

std::int64_t StampLog::pid() const {
  return header().pid;
}
LoadKind StampLog::kind() const {
  return static_cast<LoadKind>(header().kind);
}
LoadState StampLog::state() const {
  return static_cast<LoadState>(read_live(header().state));
}
std::uint64_t StampLog::batch() const {
  return header().batch;
}
std::uint64_t StampLog::count() const {
  return read_live(header().count);
}

std::uint64_t StampLog::refused() const {
  return read_live(header().refused);
}

std::uint64_t StampLog::refused_untold() const {
  return read_live(header().refused_untold);
}

std::uint64_t StampLog::first_kept() const {
  const std::uint64_t written = count();
  // One entry less than the ring's size: the oldest may be overwritten while it is read.
  return written < header().capacity ? 0 : written - header().capacity + 1;
}

std::optional<LoadStamp> StampLog::at(std::uint64_t n) const {
  if (n >= count() || n < first_kept()) {
    return std::nullopt;
  }
  LoadStamp stamp;
  std::memcpy(&stamp,
              static_cast<const char*>(map_) + header().header_bytes +
                  (n % header().capacity) * sizeof(LoadStamp),
              sizeof(stamp));
  if (n < first_kept()) {
    return std::nullopt;
  }
  return stamp;
}

std::optional<LoadStamp> StampLog::last() const {
  const std::uint64_t written = count();
  return written == 0 ? std::nullopt : at(written - 1);
}

std::optional<LoadStamp> StampLog::first_where(
    const std::function<bool(const LoadStamp&)>& condition, std::uint64_t from) const {
  const std::uint64_t end = count();
  for (std::uint64_t n = std::max(from, first_kept()); n < end; ++n) {
    const std::optional<LoadStamp> stamp = at(n);
    if (stamp && condition(*stamp)) {
      return stamp;
    }
  }
  return std::nullopt;
}

double StampLog::rate_per_second() const {
  const std::optional<LoadStamp> first = at(first_kept());
  const std::optional<LoadStamp> newest = last();
  if (!first || !newest || newest->end_ns <= first->start_ns) {
    return 0.0;
  }
  const std::uint64_t before = first->total < batch() ? 0 : first->total - batch();
  return static_cast<double>(newest->total - before) * 1e9 /
         static_cast<double>(newest->end_ns - first->start_ns);
}

}  // namespace evictd::load
