// SPDX-License-Identifier: Apache-2.0
#include "enforce/intent.h"

#include <sys/xattr.h>

#include <array>
#include <cstdio>
#include <string_view>

namespace evictd::enforce {

namespace {

constexpr const char* kAttribute = "trusted.evictd";
/// "1 hard", or "1 soft", and two numbers of up to 19 digits.
constexpr std::size_t kLongest = 64;
constexpr const char* kFormat = "1 %4s %lld %lld";

}  // namespace

bool write_intent(const KillTarget& target, const Intent& intent) {
  std::array<char, kLongest> text{};
  const int length =
      std::snprintf(text.data(), text.size(), kFormat, intent.hard ? "hard" : "soft",
                    static_cast<long long>(intent.began_at.time_since_epoch().count()),
                    static_cast<long long>(intent.kill_due_at.time_since_epoch().count()));
  return ::fsetxattr(target.usage_descriptor(), kAttribute, text.data(),
                     static_cast<std::size_t>(length), 0) == 0;
}

std::optional<Intent> read_intent(const KillTarget& target) {
  std::array<char, kLongest> text{};
  const ssize_t length =
      ::fgetxattr(target.usage_descriptor(), kAttribute, text.data(), text.size() - 1);
  if (length <= 0) {
    return std::nullopt;
  }
  std::array<char, 5> kind{};
  long long began = 0;
  long long due = 0;
  if (std::sscanf(text.data(), "1 %4s %lld %lld", kind.data(), &began, &due) != 3) {
    return std::nullopt;
  }
  return Intent{.hard = std::string_view(kind.data()) == "hard",
                .began_at = MonoTime(Duration(began)),
                .kill_due_at = MonoTime(Duration(due))};
}

void clear_intent(const KillTarget& target) {
  static_cast<void>(::fremovexattr(target.usage_descriptor(), kAttribute));
}

}  // namespace evictd::enforce
