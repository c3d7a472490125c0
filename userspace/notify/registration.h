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

/// What one listener brings.
struct ListenRequest {
  Terms terms;
  /// An eventfd; a duplicate that the Engine keeps.
  base::Fd eventfd;
  /// Of the cgroup, open for reading.
  base::Fd directory;
  /// Whose descriptor `number` is the same eventfd; once it is not, the registration ends. 0: this
  /// process. Not looked at where `number` is -1.
  pid_t pid = 0;
  int number = -1;
  /// The user whom the descriptors are from, for Engine::leave_closing_to().
  uid_t owner = 0;
};

struct DeliveryAccount;

/// What an Engine keeps of one listener.
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
  /// Of Deliveries: its owner's, and how many signals are owed to it.
  DeliveryAccount* account = nullptr;
  std::uint64_t owed = 0;
  /// In DeliveryAccount::owed_to while something is owed.
  std::list<Registration*>::iterator place{};
  /// Its cgroup is gone: it ends once it has what it is owed.
  bool is_removed = false;
};

/// How a registration stands.
struct Listening {
  RegistrationId id = 0;
  CgroupId cgroup;
  Terms terms;
  evictd_notify_side side = EVICTD_NOTIFY_NO_SIDE;
  /// Last seen, in the signal's own unit; 0 for PRESSURE and OOM.
  std::uint64_t value = 0;
  /// Times that 1 was added to its eventfd.
  std::uint64_t deliveries = 0;
};

/// Counters for status.
struct EngineCounters {
  std::size_t registrations = 0;
  std::uint64_t deliveries = 0;
  /// Signals that are owed now (Deliveries).
  std::uint64_t owed = 0;
  /// Registrations that ended because their eventfd was closed or their cgroup removed.
  std::uint64_t closed = 0;
  std::uint64_t removed = 0;
  /// Times that drain() has waited for an edge that was about to be passed.
  std::uint64_t stand_bys = 0;
  BackendCounters backend;
};

}  // namespace evictd::notify
