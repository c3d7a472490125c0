// SPDX-License-Identifier: Apache-2.0
#include "notify/oom_files.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <set>
#include <string_view>

#include "evictd/try.h"
#include "sys/kernel_text.h"

namespace evictd::notify {
namespace {

constexpr const char* kFile = "memory.events.local";
constexpr std::size_t kLongestFile = 512;

/// nullopt once the cgroup is removed.
std::optional<std::uint64_t> read_ooms(int file) {
  std::array<char, kLongestFile> buffer{};
  const ssize_t size = ::pread(file, buffer.data(), buffer.size(), 0);
  if (size < 0) {
    return std::nullopt;
  }
  const std::optional<std::int64_t> count =
      sys::find_stat(std::string_view(buffer.data(), static_cast<std::size_t>(size)), "oom");
  return count ? std::optional(static_cast<std::uint64_t>(*count)) : std::nullopt;
}

/// For a directory that cannot be opened although it exists.
bool is_out_of_descriptors() {
  return errno == EMFILE || errno == ENFILE;
}

/// The parent directory; empty at the top of the hierarchy or of its mounted part.
/// Errors: EMFILE, ENFILE.
Result<base::Fd> parent_of(int directory) {
  base::Fd parent(::openat(directory, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!parent && is_out_of_descriptors()) {
    return fail_errno(errno, "open the cgroup above");
  }
  struct statfs system {};
  if (!parent || ::fstatfs(parent.get(), &system) != 0 || system.f_type != CGROUP2_SUPER_MAGIC) {
    return base::Fd();
  }
  return parent;
}

}  // namespace

/// One memory.events.local and its listeners.
class OomFiles::File final : public base::ReadyHandler {
 public:
  File(OomFiles& owner, base::Fd file, std::uint64_t count)
      : owner_(owner), file_(std::move(file)), count_(count) {}

  [[nodiscard]] int descriptor() const { return file_.get(); }
  void add(RegistrationId id) { listeners_.insert(id); }
  /// Returns whether any listener is left.
  bool remove(RegistrationId id) {
    listeners_.erase(id);
    return !listeners_.empty();
  }

  void on_ready(std::uint32_t /*events*/) override {
    const std::optional<std::uint64_t> now = read_ooms(file_.get());
    if (!now) {
      // Removed: the descriptor would stay ready. The listeners end with the cgroup.
      owner_.loop_.remove(file_.get(), *this);
      return;
    }
    std::vector<RegistrationId> due;
    for (; count_ < *now; ++count_) {
      due.insert(due.end(), listeners_.begin(), listeners_.end());
    }
    if (!due.empty()) {
      owner_.sink_.on_events(due);
    }
  }

 private:
  OomFiles& owner_;
  base::Fd file_;
  std::uint64_t count_ = 0;
  std::set<RegistrationId> listeners_;
};

OomFiles::OomFiles(base::EventLoop& loop, EventSink& sink) : loop_(loop), sink_(sink) {}

OomFiles::~OomFiles() {
  while (!chains_.empty()) {
    end(chains_.begin()->first);
  }
}

Result<std::vector<OomFiles::Level>> OomFiles::levels_above(int directory) {
  std::vector<Level> levels;
  base::Fd at(::fcntl(directory, F_DUPFD_CLOEXEC, 3));
  if (!at) {
    return fail_errno(errno, "keep a directory");
  }
  while (at) {
    base::Fd file(::openat(at.get(), kFile, O_RDONLY | O_CLOEXEC));
    if (!file && is_out_of_descriptors()) {
      return fail_errno(errno, "open memory.events.local");
    }
    struct stat status {};
    if (!file || ::fstat(at.get(), &status) != 0) {
      break;
    }
    if (levels.size() == kMostLevels) {
      return fail_errno(E2BIG, "the cgroup lies too deep");
    }
    levels.push_back({.place = status.st_ino, .file = std::move(file)});
    EVICTD_ASSIGN_OR_RETURN(at, parent_of(at.get()));
  }
  return levels;
}

Result<> OomFiles::check_room(uid_t owner, const std::vector<Level>& levels) const {
  std::vector<Place> places(levels.size());
  std::transform(levels.begin(), levels.end(), places.begin(),
                 [](const Level& level) { return level.place; });
  const int problem = shares_.check(owner, places);
  return problem == 0 ? Result<>() : fail_errno(problem, "a share of the files of OOM is used up");
}

Result<> OomFiles::join(RegistrationId id, Level level) {
  const Place place = level.place;
  std::unique_ptr<File>& known = files_[place];
  if (known) {
    // Existing listeners first get the events from before the new one.
    known->on_ready(0);
  } else {
    const std::optional<std::uint64_t> count = read_ooms(level.file.get());
    if (!count) {
      files_.erase(place);
      return fail_errno(ENODEV, "the cgroup was removed");
    }
    known = std::make_unique<File>(*this, std::move(level.file), *count);
    // kernfs reports a priority event if the file has changed since it was read.
    if (const Result<> added = loop_.add(known->descriptor(), EPOLLPRI, *known); !added) {
      files_.erase(place);
      return Failure(added.error());
    }
  }
  known->add(id);
  Chain& chain = chains_.at(id);
  chain.places.push_back(place);
  shares_.add(chain.owner, place);
  return {};
}

Result<> OomFiles::listen(RegistrationId id, uid_t owner, int directory) {
  EVICTD_ASSIGN_OR_RETURN(std::vector<Level> levels, levels_above(directory));
  if (levels.empty()) {
    const bool gone = ::faccessat(directory, "cgroup.procs", F_OK, 0) != 0;
    return fail_errno(gone ? ENODEV : EOPNOTSUPP, "this cgroup has no memory.events.local");
  }
  EVICTD_TRY(check_room(owner, levels));
  chains_[id].owner = owner;
  for (Level& level : levels) {
    if (const Result<> joined = join(id, std::move(level)); !joined) {
      end(id);
      return Failure(joined.error());
    }
  }
  return {};
}

void OomFiles::settle(RegistrationId id) {
  const auto chain = chains_.find(id);
  if (chain == chains_.end()) {
    return;
  }
  for (const Place place : chain->second.places) {
    files_.at(place)->on_ready(0);
  }
}

void OomFiles::end(RegistrationId id) {
  const auto chain = chains_.find(id);
  if (chain == chains_.end()) {
    return;
  }
  for (const Place place : chain->second.places) {
    shares_.remove(chain->second.owner, place);
    const auto file = files_.find(place);
    if (!file->second->remove(id)) {
      loop_.remove(file->second->descriptor(), *file->second);
      files_.erase(file);
    }
  }
  chains_.erase(chain);
}

}  // namespace evictd::notify
