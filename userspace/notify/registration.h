// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <list>

#include "base/fd.h"
#include "notify/backend.h"
#include "notify/terms.h"

namespace evictd::notify {

/// One listener's request.
struct ListenRequest {
  Terms terms;
  /// An eventfd; the Engine keeps this duplicate.
  base::Fd eventfd;
  /// The cgroup's directory, open for reading.
  base::Fd directory;
  /// The process whose descriptor `number` is the same eventfd; the registration ends once it is
  /// not. 0: this process. Ignored if `number` is -1.
  pid_t pid = 0;
  int number = -1;
  /// The user who passed the descriptors, for Engine::set_disposer().
  uid_t owner = 0;
};

struct DeliveryAccount;

/// An Engine's state of one listener.
struct Registration {
  Terms terms;
  LevelKey key;
  base::Fd eventfd;
  std::uint64_t eventfd_id = 0;
  pid_t pid = 0;
  int number = -1;
  uid_t owner = 0;
  std::uint64_t deliveries = 0;
  /// In Sweeps::recent.
  bool recent = false;
  RegistrationId id = 0;
  /// Used by Deliveries: the owner's account, and the number of owed signals.
  DeliveryAccount* account = nullptr;
  std::uint64_t owed = 0;
  /// Position in DeliveryAccount::owed_to while signals are owed.
  std::list<Registration*>::iterator place{};
  /// Its cgroup is gone: it ends once its owed signals are delivered.
  bool is_removed = false;
};

/// The state of a registration.
struct Listening {
  RegistrationId id = 0;
  CgroupId cgroup;
  Terms terms;
  evictd_notify_side side = EVICTD_NOTIFY_NO_SIDE;
  /// Last seen, in the signal's unit; 0 for PRESSURE and OOM.
  std::uint64_t value = 0;
  /// Times that 1 was added to its eventfd.
  std::uint64_t deliveries = 0;
};

/// Counters for status.
struct EngineCounters {
  std::size_t registrations = 0;
  std::uint64_t deliveries = 0;
  /// Signals owed now (Deliveries).
  std::uint64_t owed = 0;
  /// Registrations that ended because their eventfd was closed or their cgroup was removed.
  std::uint64_t closed = 0;
  std::uint64_t removed = 0;
  /// Times that drain() polled for an edge that was about to be crossed.
  std::uint64_t stand_bys = 0;
  BackendCounters backend;
};

}  // namespace evictd::notify
