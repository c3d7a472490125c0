// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "evictd/result.h"
#include "load/stamp_writer.h"

/// What every load of evict-load goes through: prepare, enter the cgroups, wait for the start, work
/// batch by batch at a rate until a cap, hold.
namespace evictd::load {

/// What lets the work begin.
enum class StartOn {
  kNow,
  kSignal,  ///< SIGUSR1.
  kStdin,   ///< A line, or the end, of standard input.
};

struct RunOptions {
  /// Directories of cgroups that the process moves itself into, before it allocates anything.
  std::vector<std::string> cgroups;
  StartOn start_on = StartOn::kNow;
  /// Not before this moment of CLOCK_MONOTONIC, in ns.
  std::uint64_t start_at_ns = 0;
  bool ignore_term = false;
  /// Units a second, 0: as fast as possible.
  std::uint64_t rate = 0;
  /// Units to stop at and hold, 0: none.
  std::uint64_t cap = 0;
  StampWriter::Options stamps;
};

/// A kind of work that can be done in batches. Units are bytes, children or files.
class Work {
 public:
  virtual ~Work() = default;
  /// Gets ready in the cgroup, doing nothing that the work itself is to do.
  virtual Result<> prepare() = 0;
  /// Does up to `units` more; answers how many were done. 0 means: not possible now, try again.
  virtual Result<std::uint64_t> add(std::uint64_t units) = 0;
};

/// Runs `work` as the options say and then holds until a signal ends the process. Units that are
/// `parked` are done before the start is waited for and have no stamp of their own.
/// Returns only with an error.
Result<> run(const RunOptions& options, Work& work, std::uint64_t parked = 0);

/// The same for work without units: starts as the options say and then calls `body`, or holds if
/// there is none.
Result<> run_without_units(const RunOptions& options, void (*body)());

}  // namespace evictd::load
