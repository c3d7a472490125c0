// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "engine/pass_trigger.h"
#include "evictd/time.h"

namespace evictd::engine {

/// Which pass is wanted next, and when a pass is due without an event.
class Agenda {
 public:
  explicit Agenda(MonoTime now) : next_regular_(now), turn_at_(now) {}

  /// Requests a pass. The regular cadence does more than an event, so it wins. Otherwise the first
  /// trigger stays, unless it was a rehearsal.
  void want(PassTrigger trigger);
  void want_only(PassTrigger trigger) { wanted_ = trigger; }
  void forget() { wanted_.reset(); }
  [[nodiscard]] const std::optional<PassTrigger>& wanted() const { return wanted_; }

  /// A turn of the caller begins.
  void wake(MonoTime at) { turn_at_ = at; }
  /// Requests the pass that is due at turn_at().
  void want_what_is_due();
  [[nodiscard]] MonoTime turn_at() const { return turn_at_; }

  /// The next regular pass is due now.
  void look_now() { next_regular_ = turn_at_; }
  /// A pass that ran at `now` plans the next one after `interval`. An event never postpones the
  /// regular pass. It may bring it forward, since it may be the only event before the crossing.
  void plan_regular(eviction::Cadence cadence, MonoTime now, Duration interval);
  [[nodiscard]] MonoTime next_regular() const { return next_regular_; }

  /// When the last decision changes without an event.
  void decided(const std::optional<MonoTime>& deadline) { decision_deadline_ = deadline; }
  /// The same for a pass that waited for collectors. It does not know the deadlines of the passes
  /// in between.
  void resumed(const std::optional<MonoTime>& deadline, MonoTime now);
  [[nodiscard]] const std::optional<MonoTime>& decision_deadline() const {
    return decision_deadline_;
  }

 private:
  std::optional<PassTrigger> wanted_;
  MonoTime next_regular_;
  MonoTime turn_at_;
  std::optional<MonoTime> decision_deadline_;
};

}  // namespace evictd::engine
