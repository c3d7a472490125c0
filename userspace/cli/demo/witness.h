// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/fd.h"
#include "evictd/bytes.h"
#include "evictd/result.h"
#include "evictd/time.h"
#include "stage/witness_thread.h"

namespace evictd::demo {

struct WitnessOptions {
  /// Usage file of the pod root.
  std::filesystem::path root_usage;
  /// Usage file of the hog's pod.
  std::filesystem::path hog_usage;
  /// pids.current of the pod root; empty if tasks are not watched.
  std::filesystem::path root_tasks{};
  /// pids.peak of the pod root, which a kernel may lack; read once, at the end.
  std::filesystem::path root_most_tasks{};
};

/// The witness's observations.
struct Testimony {
  /// The highest usage of the pod root.
  Bytes highest{0};
  /// Usage of the pod root when the observation began.
  Bytes at_start{0};
  /// The most tasks in the pod root; 0 if they are not watched.
  std::int64_t most_tasks = 0;
  /// When the hog's pod first returned to its usage before the hog's start.
  std::optional<MonoTime> freed{};
};

/// Reads usage and tasks every 100 us in its own thread. Costs about 2 % of a core while it runs.
class Witness {
 public:
  /// Starts observing. Errors: those of opening the files.
  static Result<Witness> start(const WitnessOptions& options);

  /// The hog is dead: from now on its pod can be observed as freed.
  void hog_is_dead() { thread_.hog_is_dead(); }
  /// Waits until the pod is freed, at most `patience`, and stops observing.
  Testimony finish(Duration patience);

 private:
  Witness(stage::WitnessThread<Testimony> thread, base::Fd most_tasks)
      : thread_(std::move(thread)), most_tasks_(std::move(most_tasks)) {}

  stage::WitnessThread<Testimony> thread_;
  base::Fd most_tasks_;
};

}  // namespace evictd::demo
