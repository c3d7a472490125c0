// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <thread>

#include "evictd/result.h"
#include "evictd/time.h"
#include "stage/loop_filesystem.h"

namespace evictd::demo {

struct DiskWitnessOptions {
  std::filesystem::path path;
  /// The threshold is crossed when less than one of these is left; 0 for none.
  stage::Fullness threshold;
};

/// What the witness saw.
struct DiskTestimony {
  /// The least that was left.
  stage::Fullness lowest;
  /// When less than the threshold was first left.
  std::optional<MonoTime> crossing;
  /// When, after the hog was dead, as much was left as before it was let go.
  std::optional<MonoTime> freed;
};

/// A thread that only asks the filesystem how full it is, every 200 us, so that what the
/// demonstration says of it does not come from evictd.
class DiskWitness {
 public:
  /// Starts to watch. Errors: those of statvfs(3).
  static Result<DiskWitness> start(const DiskWitnessOptions& options);

  DiskWitness(const DiskWitness&) = delete;
  DiskWitness& operator=(const DiskWitness&) = delete;
  DiskWitness(DiskWitness&&) noexcept = default;
  DiskWitness& operator=(DiskWitness&&) noexcept = default;
  ~DiskWitness() = default;

  /// The hog is dead: from now on its space can be found freed.
  void hog_is_dead();
  /// Waits until it is freed, at most `patience`, and ends the watch.
  DiskTestimony finish(Duration patience);

 private:
  struct Shared;
  explicit DiskWitness(std::shared_ptr<Shared> shared);

  /// Shared with the thread, which may outlive a moved-from object.
  std::shared_ptr<Shared> shared_;
  std::jthread thread_;
};

}  // namespace evictd::demo
