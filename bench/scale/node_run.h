// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "evictd/result.h"
#include "harness/report.h"

namespace evictd::bench {

/// How a node with so many pods is measured.
struct NodeRunOptions {
  int pods = 0;
  /// Starts of evictd that are timed.
  int starts = 0;
  /// How long evictd is looked at while nothing happens.
  int seconds = 0;
  /// Passes that are timed; at most as many as a tenth of the pods.
  int passes = 0;
  /// Where evictd is.
  std::filesystem::path programs;
};

/// What was measured, one value a start, a rest or a pass.
struct NodeRun {
  /// Milliseconds from the start of the process until it tells its service manager that it is
  /// ready, and the processor time that all its threads had by then.
  Series to_ready;
  Series start_cpu;
  /// Percent of a core at rest: the sweep, which is timers and programs of the kernel, and evictd.
  Series sweep_cpu;
  Series process_cpu;
  /// MiB, and a number, at the end of the rest.
  Series resident;
  Series descriptors;
  /// Microseconds from the wake of the hot thread to the decision.
  Series pass;
};

/// Makes a private tree of pods with one process each, runs evictd on it, and removes the tree, on
/// errors and when interrupted too. Errors: those of making pods and of starting evictd; kBusy when
/// interrupted.
[[nodiscard]] Result<NodeRun> run_node(const NodeRunOptions& options);

}  // namespace evictd::bench
