// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "evictd/result.h"
#include "load/stamp_writer.h"

/// The steps of every load of evict-load: prepare, enter the cgroups, wait for the start, work
/// batch by batch at a rate up to a cap, hold.
namespace evictd::load {

/// What starts the work.
enum class StartOn {
  kNow,
  kSignal,  ///< SIGUSR1.
  kStdin,   ///< A line, or the end, of standard input.
};

struct RunOptions {
  /// Cgroup directories that the process moves itself into before it allocates anything.
  std::vector<std::string> cgroups;
  StartOn start_on = StartOn::kNow;
  /// Starts no earlier than this moment of CLOCK_MONOTONIC, in ns.
  std::uint64_t start_at_ns = 0;
  bool ignore_term = false;
  /// Units per second, 0: as fast as possible.
  std::uint64_t rate = 0;
  /// Units to stop at and hold, 0: none.
  std::uint64_t cap = 0;
  StampWriter::Options stamps;
};

/// Work that is done in batches. Units are bytes, children or files.
class Work {
 public:
  virtual ~Work() = default;
  /// Prepares in the cgroup, without doing any of the work itself.
  virtual Result<> prepare() = 0;
  /// Does up to `units` more; returns the number done. 0 means: not possible now, try again.
  virtual Result<std::uint64_t> add(std::uint64_t units) = 0;
};

/// Runs `work` according to the options, and then holds until a signal ends the process. `parked`
/// units are done before the start and are not stamped.
/// Returns only with an error.
Result<> run(const RunOptions& options, Work& work, std::uint64_t parked = 0);

/// The same for work without units: starts according to the options and then calls `body`, or holds
/// if `body` is null.
Result<> run_without_units(const RunOptions& options, void (*body)());

}  // namespace evictd::load
