// SPDX-License-Identifier: Apache-2.0
#include "enforce/intent.h"

#include <fcntl.h>
#include <sys/xattr.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <string_view>

namespace evictd::enforce {

namespace {

constexpr const char* kAttribute = "trusted.evictd";
/// "2 hard", "2 soft" or "2 once", two numbers of up to 19 digits, a third or a word, what it is
/// for, and the name of the clock: a boot id and an offset.
constexpr std::size_t kLongest = 192;
constexpr std::size_t kLongestClock = 96;

const char* kind_of(const Intent& intent) {
  if (intent.at_once) {
    return "once";
  }
  return intent.hard ? "hard" : "soft";
}

/// Whether an evictd that left `intent` has made of pids.max what it says.
bool is_ours(const PidsMax& now, HierarchyKind kind, const Intent& intent) {
  const bool stopped = kind == HierarchyKind::kV1Pids && now.word() == "0";
  const bool held = intent.hold_tasks && !intent.pids_max.empty();
  return now.word() != intent.pids_max && (stopped || held);
}

const char* purpose_of(const Intent& intent) {
  if (intent.hold_tasks) {
    return intent.for_disk ? "both" : "pids";
  }
  return intent.for_disk ? "disk" : "-";
}

/// The text of an intent. snprintf() would take some 9 us if its code is in no cache.
class IntentText {
 public:
  IntentText(const Intent& intent, std::string_view clock, const PidsMax& pids_max) {
    add("2 ");
    add(kind_of(intent));
    add(" ");
    add(intent.began_at);
    add(intent.kill_due_at);
    add(pids_max.word().empty() ? "-" : pids_max.word());
    add(" ");
    add(purpose_of(intent));
    add(" ");
    add(clock.substr(0, kLongestClock));
  }

  [[nodiscard]] std::string_view text() const {
    return {text_.data(), static_cast<std::size_t>(end_ - text_.data())};
  }

 private:
  void add(std::string_view word) { end_ = std::copy(word.begin(), word.end(), end_); }
  void add(MonoTime moment) {
    end_ = std::to_chars(end_, text_.data() + text_.size(), moment.time_since_epoch().count()).ptr;
    add(" ");
  }

  /// Room for all of the longest parts.
  std::array<char, kLongest> text_{};
  char* end_ = text_.data();
};

bool write_attribute(const KillTarget& target, const char* name, std::string_view text, int how) {
  return ::fsetxattr(target.usage_descriptor(), name, text.data(), text.size(), how) == 0;
}

}  // namespace

bool write_intent(const KillTarget& target, const Intent& intent, std::string_view clock) {
  return write_intent(target, intent, clock, target.pids_max_now());
}

bool write_intent(const KillTarget& target, const Intent& intent, std::string_view clock,
                  const PidsMax& pids_max) {
  return write_attribute(target, kAttribute, IntentText(intent, clock, pids_max).text(), 0);
}

void practise_intent(const KillTarget& target, const PidsMax& pids_max) {
  // Replacing a missing attribute fails with ENODATA.
  static_cast<void>(write_attribute(target, "trusted.evictd.practice",
                                    IntentText({}, {}, pids_max).text(), XATTR_REPLACE));
}

std::optional<Intent> read_intent(const KillTarget& target) {
  return read_intent(target.usage_descriptor());
}

std::optional<Intent> read_intent(int usage_descriptor) {
  std::array<char, kLongest> text{};
  const ssize_t length = ::fgetxattr(usage_descriptor, kAttribute, text.data(), text.size() - 1);
  if (length <= 0) {
    return std::nullopt;
  }
  std::array<char, 5> kind{};
  std::array<char, 24> pids_max{};
  std::array<char, 5> what{};
  long long began = 0;
  long long due = 0;
  int clock_at = 0;
  // Intents of older evictds end before the clock, or before "disk".
  if (std::sscanf(text.data(), "2 %4s %lld %lld %23s %4s %n", kind.data(), &began, &due,
                  pids_max.data(), what.data(), &clock_at) < 4) {
    return std::nullopt;
  }
  const std::string_view name(kind.data());
  const std::string_view before(pids_max.data());
  const std::string_view purpose(what.data());
  const std::string_view clock =
      clock_at == 0 ? std::string_view()
                    : std::string_view(text.data()).substr(static_cast<std::size_t>(clock_at));
  return Intent{.hard = name != "soft",
                .at_once = name == "once",
                .began_at = MonoTime(Duration(began)),
                .kill_due_at = MonoTime(Duration(due)),
                .for_disk = purpose == "disk" || purpose == "both",
                .hold_tasks = purpose == "pids" || purpose == "both",
                .pids_max = std::string(before == "-" ? std::string_view() : before),
                .clock = std::string(clock)};
}

void clear_intent(const KillTarget& target) {
  clear_intent(target.usage_descriptor());
}

void clear_intent(int usage_descriptor) {
  static_cast<void>(::fremovexattr(usage_descriptor, kAttribute));
}

ForkRestore restore_pids_max(const KillTarget& target, const Intent& intent) {
  ForkRestore result = ForkRestore::kNotStopped;
  for (const TargetCgroup& cgroup : target.cgroups_) {
    if (!target.is_pod(cgroup)) {
      continue;
    }
    const base::Fd dir = cgroup.open_directory();
    const base::Fd file(dir ? ::openat(dir.get(), "pids.max", O_RDWR | O_CLOEXEC) : -1);
    if (!file || !is_ours(PidsMax(file.get()), cgroup.kind, intent)) {
      continue;
    }
    const bool known = !intent.pids_max.empty();
    if (!write_control(file.get(), known ? intent.pids_max : "max")) {
      return ForkRestore::kFailed;
    }
    result = known ? ForkRestore::kRestored : ForkRestore::kUnlimited;
  }
  return result;
}

ForkRestore restore_forks(KillTarget& target, const Intent& intent) {
  const ForkRestore result = restore_pids_max(target, intent);
  const bool restored = result == ForkRestore::kRestored || result == ForkRestore::kUnlimited;
  if (restored) {
    target.pids_max_before_ =
        PidsMax(result == ForkRestore::kUnlimited ? "max" : std::string_view(intent.pids_max));
  }
  return result;
}

}  // namespace evictd::enforce
