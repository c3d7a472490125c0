// SPDX-License-Identifier: Apache-2.0
#include "kube/manifest_writer.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include "base/read_up_to.h"
#include "base/write_all.h"
#include "evictd/try.h"
#include "sys/directory.h"

namespace evictd::kube {

namespace {

constexpr const char* kConfirmed = ".confirmed";
/// evictd ignores names that begin with a dot.
constexpr std::string_view kUnfinished = ".unfinished";
constexpr std::string_view kJson = ".json";
/// The largest file that evictd reads, cluster/document.h.
constexpr std::size_t kMostBytes = std::size_t{4} << 20U;

/// The uid in "UID.json"; nullopt for any other name.
std::optional<std::string> uid_of(std::string_view name) {
  if (!name.ends_with(kJson)) {
    return std::nullopt;
  }
  name.remove_suffix(kJson.size());
  return is_file_name(name) ? std::optional(std::string(name)) : std::nullopt;
}

std::string file_of(const std::string& uid) {
  return uid + std::string(kJson);
}

/// Opens the mark and locks it. Its mtime is 1970 until the first confirmation.
Result<base::Fd> take_mark(int directory, const std::string& path) {
  const std::string what = "lock " + path + "/" + kConfirmed;
  constexpr mode_t kReadable = 0644;
  base::Fd mark(::openat(directory, kConfirmed, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                         kReadable));
  if (mark) {
    constexpr std::array<timespec, 2> kNever{};
    if (::futimens(mark.get(), kNever.data()) != 0) {
      return fail_errno(errno, what);
    }
  } else {
    mark.reset(::openat(directory, kConfirmed, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  }
  if (!mark) {
    return fail_errno(errno, what);
  }
  if (::flock(mark.get(), LOCK_EX | LOCK_NB) != 0) {
    return errno == EWOULDBLOCK ? fail(Errc::kBusy, path + ": another evictd-kube uses it")
                                : fail_errno(errno, what);
  }
  return mark;
}

}  // namespace

Result<ManifestWriter> ManifestWriter::open(const std::string& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  base::Fd fd(::open(directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!fd) {
    return fail_errno(errno, "open manifestDirectory " + directory);
  }
  EVICTD_ASSIGN_OR_RETURN(const std::vector<std::string> names, sys::names_in(fd.get(), directory));
  struct stat status {};
  if (!names.empty() && ::fstatat(fd.get(), kConfirmed, &status, AT_SYMLINK_NOFOLLOW) != 0) {
    return fail(Errc::kInvalid,
                "manifestDirectory: " + directory +
                    ": not empty and not evictd-kube's; allowed: a directory of its "
                    "own, whose files it may remove");
  }
  EVICTD_ASSIGN_OR_RETURN(base::Fd mark, take_mark(fd.get(), directory));
  return ManifestWriter(directory, std::move(fd), std::move(mark));
}

std::vector<PodDocument> ManifestWriter::read_all() {
  std::vector<PodDocument> documents;
  const Result<std::vector<std::string>> names = sys::names_in(directory_.get(), path_);
  if (!names) {
    ++counters_.failures;
    return documents;
  }
  for (const std::string& name : *names) {
    if (name == kConfirmed) {
      continue;
    }
    const std::optional<std::string> uid = uid_of(name);
    const base::Fd file(uid ? ::openat(directory_.get(), name.c_str(),
                                       O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
                            : -1);
    const Result<std::string> text = file ? base::read_up_to(file.get(), kMostBytes, name)
                                          : Result<std::string>(fail(Errc::kInvalid, name));
    PodDocument document{.uid = uid.value_or(""), .text = text.value_or("")};
    if (text && check_document(document)) {
      documents.push_back(std::move(document));
    } else if (::unlinkat(directory_.get(), name.c_str(), 0) == 0) {
      ++counters_.removed;  // A crash left it incomplete, or it is unreadable.
    } else {
      ++counters_.failures;
    }
  }
  return documents;
}

Failure ManifestWriter::failed(int error, const std::string& what) {
  ++counters_.failures;
  return fail_errno(error, what);
}

Result<> ManifestWriter::write(const PodDocument& document) {
  const std::string name = file_of(document.uid);
  const std::string unfinished = std::string(kUnfinished);
  constexpr mode_t kForAll = 0644;
  base::Fd file(::openat(directory_.get(), unfinished.c_str(),
                         O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, kForAll));
  if (!file) {
    return failed(errno, "write " + path_ + "/" + name);
  }
  if (Result<> all = base::write_all(file.get(), document.text, path_ + "/" + name); !all) {
    ++counters_.failures;
    ::unlinkat(directory_.get(), unfinished.c_str(), 0);
    return all;
  }
  if (::renameat(directory_.get(), unfinished.c_str(), directory_.get(), name.c_str()) != 0) {
    return failed(errno, "rename to " + path_ + "/" + name);
  }
  ++counters_.written;
  return {};
}

Result<> ManifestWriter::remove(const std::string& uid) {
  const std::string name = file_of(uid);
  if (::unlinkat(directory_.get(), name.c_str(), 0) != 0 && errno != ENOENT) {
    return failed(errno, "remove " + path_ + "/" + name);
  }
  ++counters_.removed;
  return {};
}

Result<> ManifestWriter::confirm() {
  return ::futimens(confirmed_.get(), nullptr) == 0
             ? Result<>()
             : failed(errno, "touch " + path_ + "/" + kConfirmed);
}

}  // namespace evictd::kube
