// SPDX-License-Identifier: Apache-2.0
#include "oom_race/calm.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <ctime>
#include <string>

#include "base/system_clock.h"
#include "evictd/try.h"
#include "harness/interrupt.h"
#include "stage/text_file.h"

namespace evictd::bench {
namespace {

/// Half of DefaultMemoryPressureLimit in the race.
constexpr double kCalmPercent = 2.5;
/// The kernel updates its averages every two seconds.
constexpr timespec kLook{1, 0};
/// By then, a 100 % average over ten seconds has fallen below half a percent.
constexpr std::chrono::minutes kLongest{2};

Result<double> pressure_now(const std::filesystem::path& file) {
  const Result<std::string> text = stage::read_text(file);
  if (!text && text.error().code == Errc::kNotFound) {
    return 0.0;
  }
  return text ? full_avg10(*text) : tl::unexpected(text.error());
}

}  // namespace

Result<double> full_avg10(std::string_view pressure) {
  constexpr std::string_view kKey = "full avg10=";
  const std::size_t key = pressure.find(kKey);
  const std::string_view number =
      key == std::string_view::npos ? std::string_view{} : pressure.substr(key + kKey.size());
  double percent = 0;
  if (std::from_chars(number.data(), number.data() + number.size(), percent).ec != std::errc{}) {
    return fail(Errc::kMalformed, "memory.pressure: " + std::string{pressure});
  }
  return percent;
}

Duration remaining_rest(std::optional<MonoTime> last_kill, MonoTime now) {
  if (!last_kill) {
    return Duration{0};
  }
  return std::max(*last_kill + kRestOfSystemdOomd - now, Duration{0});
}

bool is_calm(std::optional<MonoTime> last_kill, MonoTime now, double avg10) {
  return remaining_rest(last_kill, now) == Duration{0} && avg10 < kCalmPercent;
}

Result<> await_calm(const std::filesystem::path& pressure, std::optional<MonoTime> last_kill) {
  const base::SystemClock clock;
  const MonoTime latest = clock.now() + kLongest;
  for (;;) {
    EVICTD_ASSIGN_OR_RETURN(const double avg10, pressure_now(pressure));
    const MonoTime now = clock.now();
    if (is_calm(last_kill, now, avg10)) {
      return {};
    }
    if (now > latest) {
      return fail(Errc::kTimedOut, "pressure does not fall: " + std::to_string(avg10) + " %");
    }
    // Sleeps instead of waiting for an event: only time must pass.
    ::nanosleep(&kLook, nullptr);
    EVICTD_TRY(Interrupt::check());
  }
}

}  // namespace evictd::bench
