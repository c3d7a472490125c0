// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "daemon/hot/readings.h"
#include "daemon/shared/hot_config.h"
#include "evictd/time.h"
#include "eviction/observation.h"
#include "eviction/signal.h"
#include "probe/ladder.h"

namespace evictd::daemon {

/// Computes when to poll what the kernel side does not watch: sooner as it nears a threshold.
/// Thread rule: hot thread.
class Looks {
 public:
  /// `ladder`: of the loaded kernel side, nullptr without one. Borrowed.
  Looks(const probe::Ladder* ladder, const HotConfig& config);

  /// The kernel side's timer stalls: passes read files and poll everything.
  void set_polling(bool polling) { polling_ = polling; }
  [[nodiscard]] ReadingSource source() const {
    return ladder_ != nullptr && !polling_ ? ReadingSource::kTable : ReadingSource::kFiles;
  }

  /// Stores what a regular pass observed: growth is measured from it.
  void set_regular_pass(const eviction::Observations& seen) { polled_ = seen; }
  /// Begins with the next configuration: nothing was polled under it yet.
  void use(const HotConfig& config);
  /// Returns the longest time until the next pass.
  [[nodiscard]] Duration next(const HotConfig& config, const Readings& readings) const;

 private:
  /// Whether the kernel side watches all of it, so that polling would notice nothing sooner.
  [[nodiscard]] bool kernel_watches(eviction::Signal signal, const Readings& readings) const;

  const probe::Ladder* ladder_;
  // What the ladder says, so that no pass searches its texts: of the sweep timer, and whether the
  // kernel side alone watches memory.available and pid.available.
  bool has_timer_ = false;
  bool watches_memory_ = false;
  bool watches_tasks_ = false;
  bool polling_ = false;
  eviction::Observations polled_;  ///< The observations of the last regular pass under this
                                   ///< configuration.
};

}  // namespace evictd::daemon
