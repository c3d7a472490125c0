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
#include "oscillation.h"
#include "plan.h"

namespace evictd::churn {
namespace {

using bench::Interrupt;

bool goes_on(const ChurnOptions& options, std::uint64_t round,
             std::chrono::steady_clock::time_point began) {
  const bool more_rounds = !options.rounds || round < *options.rounds;
  const bool more_time =
      !options.time || round < 2 || std::chrono::steady_clock::now() < began + *options.time;
  return more_rounds && more_time && !Interrupt::requested();
}

void tell_of_round(std::uint64_t round, const Floor& floor, const AuditNumbers& numbers) {
  const Ledger& ledger = floor.ledger();
  std::printf("round %" PRIu64
              ": %zu pods so far, %zu moved, %zu came back, %zu crossings, %zu evictions, "
              "%zu pods seen signalled; evictd: %" PRId64 " KiB, %zu descriptors; %" PRIu64
              " kernel events, %" PRIu64 " dropped\n",
              round, ledger.pods(), ledger.moves(), ledger.returns(), ledger.crossings(),
              ledger.evictions(), ledger.signalled(), numbers.resident.value / 1024,
              numbers.descriptors, numbers.emitted, numbers.dropped);
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
  if (ledger.crossings() > 0 && ledger.evictions() > 0 && ledger.signalled() > 0) {
    return true;
  }
  tell_what_is_wrong({"no threshold was crossed, no pod was evicted or the witness saw no signal"});
  return false;
}

/// A pod that oscillates, with an audit after it. True: nothing was wrong.
Result<bool> run_oscillation(const ChurnOptions& options, Floor& floor, Audit& audit) {
  const std::uint64_t emitted = audit.numbers().emitted;
  EVICTD_ASSIGN_OR_RETURN(const OscillationCost cost, oscillate(floor));
  std::printf("oscillation: %s\n", cost.text().c_str());
  static_cast<void>(std::fflush(stdout));
  EVICTD_ASSIGN_OR_RETURN(std::vector<std::string> complaints, audit.run(floor));
  if (floor.source() == EventSource::kBpf && audit.numbers().emitted == emitted) {
    complaints.emplace_back("a pod oscillated about a threshold and the kernel side told nothing");
  }
  if (options.most_cpu && cost.percent() > *options.most_cpu) {
    complaints.push_back("a pod that oscillates may cost " + std::to_string(*options.most_cpu) +
                         " % of a core: " + cost.text());
  }
  tell_what_is_wrong(complaints);
  return complaints.empty();
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
  if (Result<bool> right = run_oscillation(options, floor, audit); !right || !*right) {
    return right;
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
