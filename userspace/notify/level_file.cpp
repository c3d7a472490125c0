// SPDX-License-Identifier: Apache-2.0
#include "notify/level_file.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <initializer_list>
#include <string_view>

#include "evictd/try.h"
#include "sys/kept_file.h"
#include "sys/kernel_text.h"

namespace evictd::notify {
namespace {

/// Growth is computed over this time; over a shorter one a charge batch would look like a spike.
constexpr Duration kRateWindow = std::chrono::milliseconds(100);
/// v1 prints "no limit" as the largest multiple of the page size.
constexpr std::uint64_t kNoLimitFrom = 1ULL << 62;

/// Opens the files of one cgroup.
class Opener {
 public:
  explicit Opener(int directory) : directory_(directory) {}

  /// Opens the first of `names` that exists.
  base::Fd operator()(std::initializer_list<const char*> names) {
    base::Fd file;
    for (const char* name : names) {
      file.reset(::openat(directory_, name, O_RDONLY | O_CLOEXEC));
      if (file || errno != ENOENT) {
        problem_ = file ? problem_ : errno;
        break;
      }
    }
    return file;
  }
  /// The errno why an existing file could not be opened, or 0.
  [[nodiscard]] int problem() const { return problem_; }

 private:
  int directory_;
  int problem_ = 0;
};

/// Errors: those of pread(2).
Result<std::string_view> read_text(const base::Fd& file, std::span<char> buffer) {
  const ssize_t size = ::pread(file.get(), buffer.data(), buffer.size(), 0);
  if (size < 0) {
    return fail_errno(errno, "read a cgroup");
  }
  return std::string_view(buffer.data(), static_cast<std::size_t>(size));
}

Result<std::uint64_t> amount_in(const base::Fd& file) {
  std::array<char, 64> buffer{};
  EVICTD_ASSIGN_OR_RETURN(const std::string_view text, read_text(file, buffer));
  const auto number = sys::parse_single_number(text);
  return number ? Result<std::uint64_t>(static_cast<std::uint64_t>(*number))
                : fail_errno(EIO, "read a cgroup");
}

/// Of the whole subtree. Reading it makes the kernel sum up what its CPUs hold back.
Result<std::uint64_t> inactive_file_in(const base::Fd& statistics) {
  sys::ReadBuffer buffer{};
  EVICTD_ASSIGN_OR_RETURN(const std::string_view text, read_text(statistics, buffer));
  const auto v1 = sys::find_stat(text, "total_inactive_file");
  const auto bytes = v1 ? v1 : sys::find_stat(text, "inactive_file");
  return bytes && *bytes > 0 ? static_cast<std::uint64_t>(*bytes) : 0;
}

/// Why a cgroup lacks the files: on v1 it belongs to another hierarchy, on v2 it lacks the
/// controller. The kernel programs distinguish both the same way.
int why_missing(evictd_notify_signal signal, int directory) {
  if (::faccessat(directory, "cgroup.procs", F_OK, 0) != 0) {
    return ENODEV;
  }
  struct statfs system {};
  const bool is_v1 = ::fstatfs(directory, &system) == 0 && system.f_type == CGROUP_SUPER_MAGIC;
  // The controller may exist but not count swap.
  const bool lacks_swap = signal == EVICTD_NOTIFY_MEMSW &&
                          ::faccessat(directory, "memory.usage_in_bytes", F_OK, 0) == 0;
  return is_v1 && !lacks_swap ? ENOTDIR : EOPNOTSUPP;
}

}  // namespace

std::uint64_t settle_working_set(std::optional<std::uint64_t> last,
                                 std::pair<std::uint64_t, std::uint64_t> usage,
                                 std::uint64_t inactive) {
  const std::uint64_t least = usage.first > inactive ? usage.first - inactive : 0;
  const std::uint64_t most = usage.second > inactive ? usage.second - inactive : 0;
  return std::clamp(last.value_or(most), least, most);
}

Result<LevelFiles> LevelFiles::open(const LevelKey& key, int directory) {
  LevelFiles files;
  files.key_ = key;
  Opener open_one(directory);
  if (key.signal == EVICTD_NOTIFY_PIDS) {
    files.amount_ = open_one({"pids.current"});
    files.limit_ = open_one({"pids.max"});
  } else if (key.signal == EVICTD_NOTIFY_MEMSW) {
    files.amount_ = open_one({"memory.memsw.usage_in_bytes"});
    files.limit_ = open_one({"memory.memsw.limit_in_bytes", "memory.max"});
    if (!files.amount_) {
      files.second_ = open_one({"memory.swap.current"});
      files.second_limit_ = open_one({"memory.swap.max"});
      if (files.second_) {
        files.amount_ = open_one({"memory.current"});
      }
    }
  } else {
    files.amount_ = open_one({"memory.current", "memory.usage_in_bytes"});
    files.limit_ = open_one({"memory.max", "memory.limit_in_bytes"});
  }
  if (key.signal == EVICTD_NOTIFY_WORKING_SET) {
    files.second_ = open_one({"memory.stat"});
  }
  const bool lacks_statistics = key.signal == EVICTD_NOTIFY_WORKING_SET && !files.second_;
  if (!files.amount_ || lacks_statistics) {
    const int problem = open_one.problem();
    return fail_errno(problem != 0 ? problem : why_missing(key.signal, directory),
                      "open the files of a cgroup");
  }
  return files;
}

Result<std::uint64_t> LevelFiles::working_set() {
  EVICTD_ASSIGN_OR_RETURN(const std::uint64_t before, amount_in(amount_));
  EVICTD_ASSIGN_OR_RETURN(const std::uint64_t inactive, inactive_file_in(second_));
  EVICTD_ASSIGN_OR_RETURN(const std::uint64_t after, amount_in(amount_));
  working_set_ = settle_working_set(working_set_, std::minmax(before, after), inactive);
  return *working_set_;
}

Result<std::uint64_t> LevelFiles::amount() {
  if (key_.signal == EVICTD_NOTIFY_WORKING_SET) {
    return working_set();
  }
  Result<std::uint64_t> amount = amount_in(amount_);
  if (amount && second_) {
    *amount += amount_in(second_).value_or(0);
  }
  return amount;
}

std::optional<std::uint64_t> LevelFiles::limit() const {
  if (!limit_) {
    return std::nullopt;
  }
  const Result<std::uint64_t> own = amount_in(limit_);
  const Result<std::uint64_t> more =
      second_limit_ ? amount_in(second_limit_) : Result<std::uint64_t>(0);
  if (!own || !more || *own >= kNoLimitFrom || *more >= kNoLimitFrom) {
    return std::nullopt;
  }
  return *own + *more;
}

std::uint64_t LevelFiles::rate(std::uint64_t usage, MonoTime now) {
  if (rate_since_ == MonoTime{}) {
    rate_since_ = now;
    rate_usage_ = usage;
    return 0;
  }
  const auto elapsed = std::chrono::duration_cast<std::chrono::microseconds>(now - rate_since_);
  if (elapsed < kRateWindow) {
    return rate_;
  }
  const std::uint64_t growth = usage > rate_usage_ ? usage - rate_usage_ : 0;
  rate_ = growth * 1'000'000 / static_cast<std::uint64_t>(elapsed.count());
  rate_since_ = now;
  rate_usage_ = usage;
  return rate_;
}

Result<LevelReading> LevelFiles::read(MonoTime now) {
  EVICTD_ASSIGN_OR_RETURN(const std::uint64_t read, amount());
  const std::uint64_t value = key_.signal == EVICTD_NOTIFY_RATE ? rate(read, now) : read;
  if (key_.unit == EVICTD_NOTIFY_ABSOLUTE) {
    return LevelReading{.value = value, .level = value};
  }
  const std::optional<std::uint64_t> most = limit();
  // Uses floating point: bytes times a million would overflow, and an error of a millionth is
  // negligible against what polling misses.
  const double share = most ? static_cast<double>(value) /
                                  static_cast<double>(std::max<std::uint64_t>(*most, 1)) *
                                  static_cast<double>(EVICTD_NOTIFY_WHOLE)
                            : 0;
  return LevelReading{.value = value, .level = static_cast<std::uint64_t>(share)};
}

}  // namespace evictd::notify
