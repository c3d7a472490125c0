// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "evictd/result.h"
#include "harness/report.h"

namespace evictd::bench {

/// How to measure a node with `pods` pods.
struct NodeRunOptions {
  int pods = 0;
  /// Of each pod.
  int containers = 0;
  /// Timed starts of evictd, and as many first passes.
  int starts = 0;
  /// Seconds for which an idle evictd is measured.
  int seconds = 0;
  /// Timed passes; at most a tenth of the pods.
  int passes = 0;
  /// Pods that are added one after another while evictd runs.
  int added = 0;
  /// Directory of the evictd binary.
  std::filesystem::path programs;
};

/// Results; one value per start, rest, pass or added pod.
struct NodeRun {
  /// Milliseconds from the start of the process until it reports readiness to its service manager,
  /// and the CPU time of all its threads by then.
  Series to_ready;
  Series start_cpu;
  /// Percent of a core at rest: the sweep, which is kernel timers and programs, and evictd.
  Series sweep_cpu;
  Series process_cpu;
  /// MiB, and a number, at the end of the rest.
  Series resident;
  Series descriptors;
  /// Microseconds from the first reading to the decision. The first pass of a started evictd, which
  /// finds nothing in the caches, and all others.
  Series first_pass;
  Series pass;
  /// Milliseconds until evictd knows a pod that was added. Empty if evictd has too few descriptors
  /// to keep files of another pod, by which it is seen.
  Series discovery;
};

/// Creates a private tree of pods with one process per container, runs evictd on it, and removes
/// the tree, also after errors and interruption. Errors: those of creating pods and of starting
/// evictd; kBusy when interrupted.
[[nodiscard]] Result<NodeRun> run_node(const NodeRunOptions& options);

}  // namespace evictd::bench
