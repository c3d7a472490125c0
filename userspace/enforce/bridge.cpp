// SPDX-License-Identifier: Apache-2.0
#include "enforce/bridge.h"

#include <fcntl.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdio>
#include <system_error>

#include "enforce/kill_target.h"
#include "enforce/pod_files.h"

namespace evictd::enforce {

namespace {

constexpr const char* kNote = "trusted.evictd.high";

/// Between the usage and the new memory.high. A write below the usage reclaims in its caller, and
/// the pod grows between the reading and the write. Whole pages, as the usage is.
constexpr Bytes kRoom = 2_MiB;

/// nullopt once the cgroup is removed.
std::optional<Bytes> read_high(int fd) {
  std::array<char, 32> text{};
  const ssize_t length = ::pread(fd, text.data(), text.size(), 0);
  if (length <= 0) {
    return std::nullopt;
  }
  if (std::string_view(text.data(), static_cast<std::size_t>(length)).starts_with("max")) {
    return kNoHigh;
  }
  Bytes high;
  if (std::from_chars(text.data(), text.data() + length, high.value).ec != std::errc{}) {
    return std::nullopt;
  }
  return high;
}

bool write_high(int fd, Bytes high) {
  std::array<char, 24> text{};
  const int length = high == kNoHigh ? std::snprintf(text.data(), text.size(), "max\n")
                                     : std::snprintf(text.data(), text.size(), "%lld\n",
                                                     static_cast<long long>(high.value));
  return write_control(fd, {text.data(), static_cast<std::size_t>(length)});
}

/// Outlives evictd, and ends with the cgroup.
bool write_note(int fd, Bytes before, Bytes set) {
  std::array<char, 48> text{};
  const int length =
      std::snprintf(text.data(), text.size(), "%lld %lld", static_cast<long long>(before.value),
                    static_cast<long long>(set.value));
  return ::fsetxattr(fd, kNote, text.data(), static_cast<std::size_t>(length), 0) == 0;
}

void remove_note(int fd) {
  static_cast<void>(::fremovexattr(fd, kNote));
}

BridgeReport not_set(BridgeState why) {
  return {.state = why, .before = {}, .set = {}};
}

}  // namespace

std::string_view to_string(BridgeState state) {
  switch (state) {
    case BridgeState::kNotWanted:
    case BridgeState::kSet:
      return "";
    case BridgeState::kNoFile:
      return "no_memory_high";
    case BridgeState::kUnreadable:
      return "unreadable";
    case BridgeState::kLowAlready:
      return "low_already";
    case BridgeState::kNotNoted:
      return "not_noted";
    case BridgeState::kRefused:
      return "refused";
  }
  return "";
}

BridgeReport Bridge::set(const UsageNow& usage_now) {
  if (!file_) {
    return not_set(BridgeState::kNoFile);
  }
  const std::optional<Bytes> before = read_high(file_.get());
  std::optional<Bytes> usage = usage_now();
  if (!before || !usage) {
    return not_set(BridgeState::kUnreadable);
  }
  Bytes high = *usage + kRoom;
  if (high >= *before) {
    return not_set(BridgeState::kLowAlready);
  }
  if (!write_note(file_.get(), *before, high)) {
    return not_set(BridgeState::kNotNoted);
  }
  // The first note may have waited for memory while the pod grew on; the second one replaces it.
  usage = usage_now();
  if (usage && *usage + kRoom > high && *usage + kRoom < *before &&
      write_note(file_.get(), *before, *usage + kRoom)) {
    high = *usage + kRoom;
  }
  if (!write_high(file_.get(), high)) {
    remove_note(file_.get());
    return not_set(BridgeState::kRefused);
  }
  lowered_ = Lowered{.before = *before, .set = high};
  return {.state = BridgeState::kSet, .before = *before, .set = high};
}

bool Bridge::end_would_reclaim(const UsageNow& usage_now) const {
  if (!lowered_ || lowered_->before == kNoHigh) {
    return false;
  }
  const std::optional<Bytes> usage = usage_now();
  return !usage || *usage > lowered_->before;
}

BridgeEnd Bridge::put_back() {
  const std::optional<Lowered> lowered = std::exchange(lowered_, std::nullopt);
  if (!lowered) {
    return BridgeEnd::kNothing;
  }
  const std::optional<Bytes> now = read_high(file_.get());
  if (!now) {
    return BridgeEnd::kNothing;
  }
  const bool is_ours = *now == lowered->set;
  if (is_ours && !write_high(file_.get(), lowered->before)) {
    return BridgeEnd::kFailed;  // The note stays for the next evictd.
  }
  remove_note(file_.get());
  return is_ours ? BridgeEnd::kPutBack : BridgeEnd::kNothing;
}

void Bridge::continue_from(Bridge& older) {
  lowered_ = std::exchange(older.lowered_, std::nullopt);
  if (lowered_ && !file_) {
    file_ = std::move(older.file_);
  }
}

void Bridge::recall() {
  std::array<char, 48> text{};
  long long before = 0;
  long long lower = 0;
  if (::fgetxattr(file_.get(), kNote, text.data(), text.size() - 1) > 0 &&
      std::sscanf(text.data(), "%lld %lld", &before, &lower) == 2) {
    lowered_ = Lowered{.before = Bytes{before}, .set = Bytes{lower}};
  }
}

BridgeEnd restore_memory_high(const KillTarget& target) {
  Bridge left;
  left.use(target.open_memory_high());
  left.recall();
  return left.put_back();
}

}  // namespace evictd::enforce
