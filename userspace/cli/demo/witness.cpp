// SPDX-License-Identifier: Apache-2.0
#include "demo/witness.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <memory>
#include <utility>

#include "base/system_clock.h"
#include "evictd/try.h"

namespace evictd::demo {
namespace {

constexpr std::chrono::microseconds kPause{100};

/// Twice the pages that each CPU may keep charged beyond usage, plus the cgroup's own structures. A
/// pod with less than this above its initial usage is freed.
constexpr Bytes kSlack = 1_MiB;

/// 0 without a file.
std::int64_t read_number(const base::Fd& fd) {
  std::array<char, 32> text{};
  const ssize_t got = fd ? ::pread(fd.get(), text.data(), text.size(), 0) : 0;
  std::int64_t value = 0;
  if (got > 0) {
    std::from_chars(text.data(), text.data() + got, value);
  }
  return value;
}

Bytes read_bytes(const base::Fd& fd) {
  return Bytes{read_number(fd)};
}

Result<base::Fd> open_for_reading(const std::filesystem::path& path) {
  base::Fd fd{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (!fd) {
    return fail_errno(errno, "open " + path.string());
  }
  return fd;
}

/// No descriptor for an empty path.
Result<base::Fd> open_if_named(const std::filesystem::path& path) {
  return path.empty() ? Result<base::Fd>{} : open_for_reading(path);
}

}  // namespace

Result<Witness> Witness::start(const WitnessOptions& options) {
  struct Files {
    base::Fd root;
    base::Fd hog;
    base::Fd tasks;
  };
  EVICTD_ASSIGN_OR_RETURN(base::Fd root, open_for_reading(options.root_usage));
  EVICTD_ASSIGN_OR_RETURN(base::Fd hog, open_for_reading(options.hog_usage));
  EVICTD_ASSIGN_OR_RETURN(base::Fd tasks, open_if_named(options.root_tasks));
  const Testimony at_start{.highest = Bytes{0}, .at_start = read_bytes(root)};
  const Bytes hog_at_rest = read_bytes(hog);
  const auto files =
      std::make_shared<const Files>(Files{std::move(root), std::move(hog), std::move(tasks)});
  const auto look = [files, hog_at_rest](Testimony& seen, bool hog_is_dead) {
    seen.highest = std::max(seen.highest, read_bytes(files->root));
    seen.most_tasks = std::max(seen.most_tasks, read_number(files->tasks));
    if (hog_is_dead && !seen.freed && read_bytes(files->hog) <= hog_at_rest + kSlack) {
      seen.freed = base::SystemClock{}.now();
    }
  };
  return Witness{{kPause, at_start, look},
                 open_if_named(options.root_most_tasks).value_or(base::Fd{})};
}

Testimony Witness::finish(Duration patience) {
  Testimony testimony = thread_.finish(patience);
  // Includes peaks between two readings.
  testimony.most_tasks = std::max(testimony.most_tasks, read_number(most_tasks_));
  return testimony;
}

}  // namespace evictd::demo
