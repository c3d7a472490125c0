// SPDX-License-Identifier: Apache-2.0
#include "fork_race/pid_limit.h"

#include <string_view>
#include <utility>

#include "evictd/try.h"
#include "stage/text_file.h"

namespace evictd::bench {
namespace {

constexpr const char* kPidMax = "/proc/sys/kernel/pid_max";

}  // namespace

Result<PidLimit> PidLimit::lower_to(std::int64_t limit) {
  EVICTD_ASSIGN_OR_RETURN(std::string before, stage::read_text(kPidMax));
  EVICTD_TRY(stage::write_kernel_file(kPidMax, std::to_string(limit)));
  return PidLimit{std::move(before)};
}

PidLimit::PidLimit(std::string before) : before_(std::move(before)) {}

PidLimit::PidLimit(PidLimit&& other) noexcept : before_(std::exchange(other.before_, {})) {}

PidLimit::~PidLimit() {
  if (!before_.empty()) {
    static_cast<void>(stage::write_kernel_file(kPidMax, before_));
  }
}

Result<std::int64_t> machine_tasks() {
  EVICTD_ASSIGN_OR_RETURN(const std::string text, stage::read_text("/proc/loadavg"));
  // "0.10 0.05 0.01 2/117 4242": 2 running tasks of 117.
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos) {
    return fail(Errc::kMalformed, "/proc/loadavg: " + text);
  }
  return stage::parse_number(std::string_view{text}.substr(slash + 1));
}

}  // namespace evictd::bench
