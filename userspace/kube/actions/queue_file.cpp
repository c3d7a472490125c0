// SPDX-License-Identifier: Apache-2.0
#include "kube/actions/queue_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/fault_point.h"
#include "base/read_up_to.h"
#include "base/write_all.h"
#include "evictd/try.h"

namespace evictd::kube {

namespace {

using base::fault_point;
using base::FaultPoint;

constexpr const char* kLock = "lock";
/// Far more than can be pending.
constexpr std::size_t kLongestQueue = std::size_t{64} << 20U;
constexpr mode_t kPrivate = 0600;

base::Fd open_in(const base::Fd& directory, const std::string& name, int flags) {
  return base::Fd(::openat(directory.get(), name.c_str(),
                           flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, kPrivate));
}

}  // namespace

QueueFile::QueueFile(std::string name, std::string path, base::Fd directory, base::Fd lock)
    : name_(std::move(name)),
      path_(std::move(path)),
      directory_(std::move(directory)),
      lock_(std::move(lock)) {}

Result<QueueFile> QueueFile::open(const std::string& directory, const std::string& name) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  base::Fd fd(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd) {
    return fail_errno(errno, "open stateDirectory " + directory);
  }
  base::Fd lock = open_in(fd, kLock, O_RDWR | O_CREAT);
  if (!lock) {
    return fail_errno(errno, "lock stateDirectory " + directory);
  }
  if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
    return errno == EWOULDBLOCK
               ? fail(Errc::kBusy, "stateDirectory " + directory + ": another evictd-kube uses it")
               : fail_errno(errno, "lock stateDirectory " + directory);
  }
  return QueueFile(name, directory + "/" + name, std::move(fd), std::move(lock));
}

Result<std::vector<std::string>> QueueFile::read() {
  file_ = open_in(directory_, name_, O_RDWR | O_CREAT);
  struct stat status {};
  if (!file_ || ::fstat(file_.get(), &status) != 0) {
    return fail_errno(errno, "open " + path_);
  }
  if (!S_ISREG(status.st_mode)) {
    return fail(Errc::kInvalid, path_ + ": not a regular file; allowed: a file");
  }
  EVICTD_ASSIGN_OR_RETURN(const std::string text,
                          base::read_up_to(file_.get(), kLongestQueue, path_));
  if (text.size() == kLongestQueue) {
    return fail(Errc::kExhausted, path_ + ": too long for a queue");
  }
  std::vector<std::string> lines;
  size_ = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', size_)) {
    lines.push_back(text.substr(size_, end - size_));
    size_ = end + 1;
  }
  if (size_ != text.size() && ::ftruncate(file_.get(), static_cast<off_t>(size_)) != 0) {
    return fail_errno(errno, "cut " + path_);
  }
  if (::lseek(file_.get(), static_cast<off_t>(size_), SEEK_SET) < 0) {
    return fail_errno(errno, "seek in " + path_);
  }
  return lines;
}

Result<> QueueFile::append(std::string_view line) {
  const std::string text = std::string(line) + '\n';
  const std::string_view all = text;
  Result<> written = base::write_all(file_.get(), all.substr(0, all.size() / 2), path_);
  fault_point(FaultPoint::kEntryHalf);
  if (written) {
    written = base::write_all(file_.get(), all.substr(all.size() / 2), path_);
  }
  if (!written) {
    // A partial line must not become the beginning of the next one.
    const bool is_cut = ::ftruncate(file_.get(), static_cast<off_t>(size_)) == 0 &&
                        ::lseek(file_.get(), static_cast<off_t>(size_), SEEK_SET) >= 0;
    return is_cut ? written : fail_errno(errno, "cut " + path_);
  }
  size_ += text.size();
  return {};
}

Result<> QueueFile::sync() {
  return ::fdatasync(file_.get()) == 0 ? Result<>() : fail_errno(errno, "sync " + path_);
}

Result<> QueueFile::replace(const std::vector<std::string>& lines) {
  base::Fd beside = open_in(directory_, name_ + ".new", O_RDWR | O_CREAT | O_TRUNC);
  if (!beside) {
    return fail_errno(errno, "open " + path_ + ".new");
  }
  std::string text;
  for (const std::string& line : lines) {
    text += line + '\n';
  }
  const std::string_view all = text;
  Result<> written = base::write_all(beside.get(), all.substr(0, all.size() / 2), path_ + ".new");
  fault_point(FaultPoint::kQueueHalf);
  if (written) {
    written = base::write_all(beside.get(), all.substr(all.size() / 2), path_ + ".new");
  }
  if (written && ::fsync(beside.get()) != 0) {
    written = fail_errno(errno, "sync " + path_ + ".new");
  }
  fault_point(FaultPoint::kQueueSynced);
  if (!written) {
    return written;
  }
  if (::renameat(directory_.get(), (name_ + ".new").c_str(), directory_.get(), name_.c_str()) !=
      0) {
    return fail_errno(errno, "rename " + path_ + ".new to " + path_);
  }
  file_ = std::move(beside);
  size_ = text.size();
  fault_point(FaultPoint::kQueueReplaced);
  return ::fsync(directory_.get()) == 0 ? Result<>() : fail_errno(errno, "sync of " + path_);
}

Result<> QueueFile::set_aside() {
  const std::string damaged = name_ + ".damaged";
  return ::renameat(directory_.get(), name_.c_str(), directory_.get(), damaged.c_str()) == 0
             ? Result<>()
             : fail_errno(errno, "rename " + path_);
}

}  // namespace evictd::kube
