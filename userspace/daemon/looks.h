// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "daemon/hot_config.h"
#include "daemon/readings.h"
#include "evictd/time.h"
#include "eviction/observation.h"
#include "eviction/signal.h"
#include "probe/ladder.h"

namespace evictd::daemon {

/// When to look again at what the kernel side does not watch: the sooner, the nearer it is to a
/// threshold. Thread rule: hot thread.
class Looks {
 public:
  /// `ladder`: of the kernel side that is loaded, nullptr without one. Borrowed.
  explicit Looks(const probe::Ladder* ladder) : ladder_(ladder) {}

  /// The kernel side's timer stands still: passes read files, and everything is looked at.
  void set_polling(bool polling) { polling_ = polling; }
  [[nodiscard]] ReadingSource source() const {
    return ladder_ != nullptr && !polling_ ? ReadingSource::kTable : ReadingSource::kFiles;
  }

  /// What a regular pass saw: growth is measured from it.
  void note_regular(const eviction::Observations& seen) { polled_ = seen; }
  void forget() { polled_ = {}; }
  /// The longest time until the next pass.
  [[nodiscard]] Duration next(const HotConfig& config, const Readings& readings) const;

 private:
  /// All of it, so that polling would see nothing sooner.
  [[nodiscard]] bool kernel_watches(eviction::Signal signal, const HotConfig& config,
                                    const Readings& readings) const;

  const probe::Ladder* ladder_;
  bool polling_ = false;
  eviction::Observations polled_;  ///< What the last regular pass under this configuration saw.
};

}  // namespace evictd::daemon
