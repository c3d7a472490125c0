// SPDX-License-Identifier: Apache-2.0
#include "churn.h"

#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <string>
#include <vector>

#include "audit.h"
#include "evictd/try.h"
#include "harness/interrupt.h"
#include "plan.h"

namespace evictd::churn {
namespace {

using bench::Interrupt;

bool goes_on(const ChurnOptions& options, std::uint64_t round,
             std::chrono::steady_clock::time_point began) {
  const bool more_rounds = !options.rounds || round < *options.rounds;
  const bool more_time = !options.time || std::chrono::steady_clock::now() < began + *options.time;
  return more_rounds && more_time && !Interrupt::requested();
}

void tell_of_round(std::uint64_t round, const Floor& floor, const AuditNumbers& numbers) {
  std::printf("round %" PRIu64 ": %zu pods so far, %zu crossings, %zu evictions; evictd: %" PRId64
              " KiB, %zu descriptors; %" PRIu64 " kernel events, %" PRIu64 " dropped\n",
              round, floor.ledger().pods(), floor.ledger().crossings(), floor.ledger().evictions(),
              numbers.resident.value / 1024, numbers.descriptors, numbers.emitted, numbers.dropped);
  static_cast<void>(std::fflush(stdout));
}

void tell_what_is_wrong(const std::vector<std::string>& complaints) {
  for (const std::string& complaint : complaints) {
    std::fprintf(stderr, "evict-churn: %s\n", complaint.c_str());
  }
}

/// One round with its audit. True: nothing was wrong.
Result<bool> run_round(const ChurnOptions& options, std::uint64_t round, Floor& floor,
                       Audit& audit) {
  EVICTD_TRY(floor.play(plan_round(options.seed, round)));
  if (Interrupt::requested()) {
    return true;
  }
  EVICTD_ASSIGN_OR_RETURN(const std::vector<std::string> complaints, audit.run(floor));
  if (!complaints.empty() && !Interrupt::requested()) {
    tell_what_is_wrong(complaints);
    return false;
  }
  tell_of_round(round, floor, audit.numbers());
  return true;
}

/// A churn in which nothing happens proves nothing.
bool was_worth_it(const Ledger& ledger) {
  if (ledger.crossings() > 0 && ledger.evictions() > 0) {
    return true;
  }
  tell_what_is_wrong({"no threshold was crossed or no pod was evicted"});
  return false;
}

Result<bool> run_rounds(const ChurnOptions& options, Floor& floor) {
  Audit audit{floor, options.patience};
  const auto began = std::chrono::steady_clock::now();
  for (std::uint64_t round = 0; goes_on(options, round, began); ++round) {
    Result<bool> right = run_round(options, round, floor, audit);
    if (!right || !*right) {
      return right;
    }
  }
  if (Interrupt::requested()) {
    return true;
  }
  EVICTD_TRY(floor.stop_daemon());
  // What it wrote on its way out counts, too.
  EVICTD_TRY(floor.read_records());
  const std::vector<std::string> complaints = floor.ledger().complaints();
  tell_what_is_wrong(complaints);
  return complaints.empty() && was_worth_it(floor.ledger());
}

}  // namespace

Result<bool> churn(const ChurnOptions& options) {
  EVICTD_ASSIGN_OR_RETURN(Floor floor, Floor::open(options.floor));
  Result<bool> right = run_rounds(options, floor);
  // A terminal interrupts evictd and the pods, too: what they do then is nobody's fault.
  if (Interrupt::requested()) {
    return true;
  }
  if (!right || !*right) {
    std::fprintf(stderr, "evict-churn: the end of evictd's log:\n%s\n", floor.end_of_log().c_str());
  }
  return right;
}

}  // namespace evictd::churn
