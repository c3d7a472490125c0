// SPDX-License-Identifier: Apache-2.0
#include "notify/registering.h"

#include <sys/eventfd.h>

#include <cerrno>
#include <chrono>
#include <nlohmann/json.hpp>
#include <utility>

#include "evictd/try.h"
#include "harness/interrupt.h"
#include "idle/process_cost.h"

namespace evictd::bench {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

/// Usage here never reaches this.
constexpr Bytes kFar = 512_MiB;
constexpr Bytes kStep = 64_KiB;

double microseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

/// The registrations, with the times of the calls.
struct Made {
  std::vector<base::Fd> eventfds;
  std::vector<std::uint64_t> ids;
  Series calls;
};

Result<Made> make(Listening& listening, std::span<const fs::path> cgroups) {
  Made made;
  for (int i = 0; i < kManyRegistrations; ++i) {
    base::Fd eventfd{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    if (!eventfd) {
      return fail_errno(errno, "make an eventfd");
    }
    const fs::path& cgroup = cgroups[static_cast<std::size_t>(i) % cgroups.size()];
    const Clock::time_point start = Clock::now();
    EVICTD_ASSIGN_OR_RETURN(const std::uint64_t id,
                            listening.add(cgroup, kFar + Bytes{i * kStep.value}, eventfd.get()));
    made.calls.add(microseconds_since(start));
    made.ids.push_back(id);
    made.eventfds.push_back(std::move(eventfd));
    EVICTD_TRY(Interrupt::check());
  }
  return made;
}

Result<Series> end(Listening& listening, std::span<const std::uint64_t> ids) {
  Series calls;
  for (const std::uint64_t id : ids) {
    const Clock::time_point start = Clock::now();
    EVICTD_TRY(listening.remove(id));
    calls.add(microseconds_since(start));
  }
  return calls;
}

}  // namespace

std::string RegisteringRow::title() const {
  return "register " + std::string{name_of(notifier)} + (spread ? " spread" : " one");
}

std::vector<RegisteringRow> registering_rows(const Selection& selection, bool with_kernel) {
  std::vector<RegisteringRow> rows;
  for (const Notifier notifier : {Notifier::kService, Notifier::kInProcess, Notifier::kKernel}) {
    for (const bool spread : {false, true}) {
      const RegisteringRow row{.notifier = notifier, .spread = spread};
      if (selection.wants(row.title()) && (with_kernel || notifier != Notifier::kKernel)) {
        rows.push_back(row);
      }
    }
  }
  return rows;
}

Result<> register_far(Listening& listening, std::span<const fs::path> cgroups,
                      std::vector<base::Fd>& eventfds) {
  EVICTD_ASSIGN_OR_RETURN(Made made, make(listening, cgroups));
  eventfds = std::move(made.eventfds);
  return {};
}

Result<> measure_registering(const RegisteringRow& row, const PrivateGround& ground,
                             const fs::path& programs, std::span<const fs::path> cgroups,
                             Report& report) {
  const std::span<const fs::path> used = row.spread ? cgroups : cgroups.first(1);
  const nlohmann::json params = {{"notifier", name_of(row.notifier)},
                                 {"registrations", kManyRegistrations},
                                 {"cgroups", used.size()}};
  EVICTD_ASSIGN_OR_RETURN(Listening listening,
                          Listening::start(row.notifier, ground, programs, false));
  const std::optional<pid_t> keeper = listening.keeper();
  const Result<ProcessCost> before = cost_of(keeper.value_or(0));
  EVICTD_ASSIGN_OR_RETURN(const Made made, make(listening, used));
  report.add("register_call", params, "us", made.calls);
  if (!keeper) {
    return {};
  }
  const Result<ProcessCost> after = cost_of(*keeper);
  if (!before || !after) {
    return tl::unexpected(before ? after.error() : before.error());
  }
  report.add("memory_per_registration", params, "bytes",
             static_cast<double>((after->resident - before->resident).value) / kManyRegistrations);
  report.add("maps", params, "MiB", static_cast<double>(after->maps.value) / (1 << 20));
  EVICTD_ASSIGN_OR_RETURN(const Series ended, end(listening, made.ids));
  report.add("unregister_call", params, "us", ended);
  return {};
}

}  // namespace evictd::bench
