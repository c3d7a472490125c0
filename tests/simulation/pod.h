// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "engine/pod_view.h"
#include "evictd/ticket.h"
#include "evictd/time.h"
#include "eviction/pod_facts.h"

namespace evictd::simulation {

/// A pod of the model: its memory grows linearly between two changes.
struct Pod {
  engine::PodView view;
  eviction::PodFacts facts;
  bool is_protected = false;
  /// Its cgroup exists.
  bool present = false;
  /// It has live processes.
  bool running = false;
  std::int64_t bytes = 0;
  /// Bytes per second.
  std::int64_t growth = 0;
  std::int64_t most = 0;
  MonoTime since{};
  std::int64_t tasks = 0;
  /// Bytes that stay charged to its cgroup after its death.
  std::int64_t left = 0;
  bool obeys_sigterm = true;
  /// The actuator refuses to signal it.
  bool is_refused = false;
  Duration time_to_end{0};
  Duration time_to_die{0};
  /// Number of the pod's life. An action planned for an earlier life does not affect a later one.
  std::uint64_t life = 0;

  /// State of its eviction in the actuator, including what an earlier evictd left on its cgroup.
  enum class End : std::uint8_t { kNone, kTerminating, kKilled, kExceeded };
  End end = End::kNone;
  bool hard = true;
  bool dry_run = false;
  Ticket ticket;
  MonoTime kill_due_at{};
  MonoTime killed_at{};

  [[nodiscard]] std::int64_t bytes_at(MonoTime now) const;
  [[nodiscard]] bool may_go() const { return present && running && !is_protected; }
};

}  // namespace evictd::simulation
