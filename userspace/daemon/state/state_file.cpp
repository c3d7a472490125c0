// SPDX-License-Identifier: Apache-2.0
#include "daemon/state/state_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <utility>

#include "base/fault_point.h"
#include "base/fd.h"
#include "base/regular_file.h"
#include "base/write_all.h"
#include "evictd/try.h"

namespace evictd::daemon {

namespace {

using base::fault_point;
using base::FaultPoint;

/// Far above what a full node needs; a larger file is not a state file of evictd.
constexpr std::size_t kLargest = std::size_t{4} << 20;

Result<> write_synced(const std::string& path, std::string_view text) {
  EVICTD_ASSIGN_OR_RETURN(const base::Fd file, base::open_regular_file_to_write(
                                                   path, O_WRONLY | O_TRUNC | O_NOFOLLOW, 0600));
  fault_point(FaultPoint::kStateCreated);
  Result<> written = base::write_all(file.get(), text.substr(0, text.size() / 2), path);
  fault_point(FaultPoint::kStateHalf);
  if (written) {
    written = base::write_all(file.get(), text.substr(text.size() / 2), path);
  }
  fault_point(FaultPoint::kStateWritten);
  if (written && ::fsync(file.get()) != 0) {
    return fail_errno(errno, "sync " + path);
  }
  fault_point(FaultPoint::kStateSynced);
  return written;
}

}  // namespace

Result<std::string> read_state_file(const std::string& path) {
  // O_NONBLOCK: a FIFO in place of the file must not block the start.
  const base::Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file) {
    return fail_errno(errno, "open " + path);
  }
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) {
    return fail_errno(errno, "stat " + path);
  }
  if (!S_ISREG(status.st_mode)) {
    return fail(Errc::kInvalid, path + ": not a regular file; allowed: a file");
  }
  std::string text;
  std::array<char, 4096> part{};
  ssize_t got = 0;
  while ((got = ::read(file.get(), part.data(), part.size())) > 0 && text.size() <= kLargest) {
    text.append(part.data(), static_cast<std::size_t>(got));
  }
  if (got < 0) {
    return fail_errno(errno, "read " + path);
  }
  return text;
}

Result<> replace_state_file(const std::string& path, std::string_view text) {
  const std::string beside = path + ".new";
  // The rename would remove a device from the machine.
  if (base::is_no_regular_file(path)) {
    return fail(Errc::kInvalid, "replace " + path + ": not a regular file");
  }
  EVICTD_TRY(write_synced(beside, text));
  if (::rename(beside.c_str(), path.c_str()) != 0) {
    return fail_errno(errno, "rename " + beside + " to " + path);
  }
  fault_point(FaultPoint::kStateRenamed);
  const std::string directory = std::filesystem::path(path).parent_path();
  const base::Fd parent(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!parent || ::fsync(parent.get()) != 0) {
    return fail_errno(errno, "sync " + directory);
  }
  fault_point(FaultPoint::kStateDurable);
  return {};
}

StateWriter::StateWriter(std::string path) : path_(std::move(path)) {
  if (const Result<> started = worker_.start("evictd-state", [this] { run(); }); !started) {
    counters_.failures = 1;
    counters_.last_failure = started.error().message();
  }
}

StateWriter::Counters StateWriter::counters() const {
  const std::scoped_lock lock(mutex_);
  return counters_;
}

void StateWriter::run() {
  while (const std::optional<std::string> text = worker_.next()) {
    const Result<> replaced = replace_state_file(path_, *text);
    const std::scoped_lock lock(mutex_);
    counters_.writes += replaced ? 1 : 0;
    counters_.failures += replaced ? 0 : 1;
    counters_.last_failure = replaced ? std::string() : replaced.error().message();
  }
}

}  // namespace evictd::daemon
