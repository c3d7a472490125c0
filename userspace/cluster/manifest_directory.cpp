// SPDX-License-Identifier: Apache-2.0
#include "cluster/manifest_directory.h"

#include <fcntl.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "cluster/document.h"
#include "evictd/try.h"
#include "sys/directory.h"
#include "sys/root.h"

namespace evictd::cluster {

namespace {

constexpr std::uint32_t kWatched = IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM |
                                   IN_MOVED_TO | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF |
                                   IN_ONLYDIR;

/// The format according to the file name; nullopt for a file that is not read.
std::optional<DocumentFormat> format_of(std::string_view name) {
  if (name.starts_with('.')) {
    return std::nullopt;
  }
  if (name.ends_with(".json")) {
    return DocumentFormat::kJson;
  }
  return name.ends_with(".yaml") || name.ends_with(".yml") ? std::optional(DocumentFormat::kYaml)
                                                           : std::nullopt;
}

Result<std::set<std::string>> manifest_names(int directory, const std::string& path) {
  EVICTD_ASSIGN_OR_RETURN(std::vector<std::string> names, sys::names_in(directory, path));
  std::erase_if(names, [](const std::string& name) { return !format_of(name); });
  return std::set<std::string>(names.begin(), names.end());
}

const char* kind_of(mode_t mode) {
  return S_ISDIR(mode) ? "a directory" : S_ISFIFO(mode) ? "a pipe" : "a device";
}

/// The text of a regular file. A directory, a device or a pipe is kMalformed: it has no text, or a
/// read could block.
Result<std::string> read_regular(int directory, const std::string& name, const std::string& path) {
  const base::Fd fd(::openat(directory, name.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (!fd) {
    return fail_errno(errno, path);
  }
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) {
    return fail_errno(errno, path);
  }
  if (!S_ISREG(status.st_mode)) {
    return fail(Errc::kMalformed, path + ": " + kind_of(status.st_mode) + "; allowed: a file");
  }
  return sys::read_all(fd.get(), DocumentLimits{}.bytes, path);
}

/// A new regular file is read after its writer has closed it, but a link has all its text at once.
bool is_being_written(int directory, const std::string& name) {
  struct stat status {};
  return ::fstatat(directory, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 &&
         S_ISREG(status.st_mode) && status.st_nlink == 1;
}

/// Whether `path` still leads to `directory`. While a descriptor is open, no event reports the
/// directory's removal: the kernel sends IN_DELETE_SELF when the last one is closed.
bool is_at(const std::string& path, int directory) {
  struct stat there {};
  struct stat held {};
  return ::stat(path.c_str(), &there) == 0 && ::fstat(directory, &held) == 0 &&
         there.st_dev == held.st_dev && there.st_ino == held.st_ino;
}

/// The problem of a directory, stating that evictd retries by itself.
Error waited_for(const Error& problem) {
  Error whole = problem;
  whole.context +=
      problem.code == Errc::kNotFound ? ": evictd waits for it" : ": evictd tries again";
  return whole;
}

/// The problem, and how evictd continues.
Error with_end(const Error& problem, bool keeps_pods) {
  Error whole = problem;
  whole.context += keeps_pods ? ", continuing with its pods and their protection as last read"
                              : ", continuing without it";
  return whole;
}

bool same(const std::optional<Error>& a, const std::optional<Error>& b) {
  return a.has_value() == b.has_value() && (!a || a->context == b->context);
}

}  // namespace

Result<ManifestDirectory> ManifestDirectory::open(ManifestDirectoryOptions options) {
  base::Fd inotify(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  if (!inotify) {
    return fail_errno(errno, "watch manifest directory " + options.path);
  }
  ManifestDirectory made(std::move(options), std::move(inotify));
  if (Result<> watched = made.watch(); !watched) {
    made.directory_problem_ = waited_for(watched.error());
  } else if (made.options_.first_reading == FirstReading::kAtOnce) {
    static_cast<void>(made.read_directory());
  }
  return made;
}

Result<> ManifestDirectory::watch() {
  const std::string what = "watch manifest directory " + options_.path;
  base::Fd directory(::open(options_.path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!directory) {
    return fail_errno(errno, what);
  }
  // Watches through the descriptor, so that the watched directory is the one that is read.
  const std::string itself = "/proc/self/fd/" + std::to_string(directory.get());
  const int watch = ::inotify_add_watch(inotify_.get(), itself.c_str(), kWatched);
  if (watch < 0) {
    return fail_errno(errno, what);
  }
  directory_ = std::move(directory);
  watch_ = watch;
  return {};
}

ManifestDirectory::Changes ManifestDirectory::take_changes() {
  Changes changes;
  alignas(inotify_event) std::array<char, 16 * 1024> buffer{};
  for (;;) {
    const ssize_t size = ::read(inotify_.get(), buffer.data(), buffer.size());
    if (size <= 0) {
      return changes;
    }
    inotify_event event{};
    for (ssize_t at = 0; at < size; at += static_cast<ssize_t>(sizeof event + event.len)) {
      const char* start = buffer.data() + at;
      std::memcpy(&event, start, sizeof event);
      changes.everything |= (event.mask & IN_Q_OVERFLOW) != 0;
      // Events of an older watch, on a directory that was replaced, have no meaning.
      if (event.wd != watch_) {
        continue;
      }
      changes.directory_gone |= (event.mask & (IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED)) != 0;
      const std::string name = event.len > 0 ? start + sizeof event : "";
      // A ConfigMap volume has links through "..data", which is replaced as a whole.
      changes.everything |= name.starts_with("..");
      const bool is_too_early =
          (event.mask & IN_CREATE) != 0 && is_being_written(directory_.get(), name);
      if (format_of(name) && !is_too_early) {
        changes.names.insert(name);
      }
    }
  }
}

bool ManifestDirectory::refresh() {
  const Changes changes = take_changes();
  if (directory_ && (changes.directory_gone || !is_at(options_.path, directory_.get()))) {
    ::inotify_rm_watch(inotify_.get(), watch_);
    watch_ = -1;
    directory_.reset();
  }
  if (!directory_) {
    return reopen();
  }
  if (changes.everything || unread_ || directory_problem_) {
    return read_directory();
  }
  std::set<std::string> names = changes.names;
  for (const auto& [name, file] : files_) {
    // A file's content stays the same until an event; a read error may be over without one.
    if (file.problem && file.problem->sys_errno != 0) {
      names.insert(name);
    }
  }
  bool changed = false;
  for (const std::string& name : names) {
    changed |= read_file(name);
  }
  return changed;
}

bool ManifestDirectory::reopen() {
  const std::optional<Error> before = std::exchange(directory_problem_, std::nullopt);
  if (Result<> watched = watch(); !watched) {
    directory_problem_ = waited_for(watched.error());
    return !same(before, directory_problem_);
  }
  return read_directory() || before.has_value();
}

bool ManifestDirectory::read_directory() {
  const Result<std::set<std::string>> names = manifest_names(directory_.get(), options_.path);
  const std::optional<Error> before = std::exchange(directory_problem_, std::nullopt);
  if (!names) {
    directory_problem_ = waited_for(names.error());
    return !same(before, directory_problem_);
  }
  unread_ = false;
  bool changed = before.has_value() || std::erase_if(files_, [&](const auto& file) {
                                         return !names->contains(file.first);
                                       }) > 0;
  for (const std::string& name : *names) {
    changed |= read_file(name);
  }
  return changed;
}

bool ManifestDirectory::read_file(const std::string& name) {
  const std::string path = sys::join_path(options_.path, name);
  const Result<std::string> text = read_regular(directory_.get(), name, path);
  if (!text && text.error().code == Errc::kNotFound) {
    return files_.erase(name) > 0;
  }
  File& file = files_[name];
  const std::optional<Error> before = std::exchange(file.problem, std::nullopt);
  if (!text) {
    file.problem = text.error();
    return !same(before, file.problem);
  }
  Result<std::vector<Manifest>> manifests =
      parse_manifests(*text, path, *format_of(name), options_.kind);
  if (manifests) {
    file.manifests = std::move(*manifests);
  } else {
    file.problem = manifests.error();
  }
  return true;
}

std::vector<const Manifest*> ManifestDirectory::manifests() const {
  std::vector<const Manifest*> all;
  for (const auto& [name, file] : files_) {
    for (const Manifest& manifest : file.manifests) {
      all.push_back(&manifest);
    }
  }
  return all;
}

std::vector<Error> ManifestDirectory::problems() const {
  std::vector<Error> all;
  if (directory_problem_) {
    all.push_back(with_end(*directory_problem_, !manifests().empty()));
  }
  for (const auto& [name, file] : files_) {
    if (file.problem) {
      all.push_back(with_end(*file.problem, !file.manifests.empty()));
    }
  }
  return all;
}

}  // namespace evictd::cluster
