// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/fd.h"
#include "evictd/result.h"
#include "evictd/time.h"

namespace evictd::bench {

/// The one question that systemd-oomd has for a service manager: which cgroups to watch. Answered
/// here, because the machine of the race has no service manager; everything else of systemd-oomd
/// is itself. The socket is gone when the object is destroyed. One thread uses it.
class ManagedOom {
 public:
  /// Listens where a service manager would, for the cgroup `path` and what is below it
  /// (ManagedOOMMemoryPressure=kill and ManagedOOMSwap=kill).
  /// Errors: kBusy if a service manager runs here; those of the socket.
  static Result<ManagedOom> start(std::string path);

  ManagedOom(const ManagedOom&) = delete;
  ManagedOom& operator=(const ManagedOom&) = delete;
  ManagedOom(ManagedOom&&) noexcept = default;
  ManagedOom& operator=(ManagedOom&&) = delete;
  ~ManagedOom();

  /// Waits for the question and answers it; the connection stays open. Errors: kTimedOut.
  Result<> tell(Duration timeout);

 private:
  ManagedOom(std::string path, base::Fd listener);

  std::string path_;
  base::Fd listener_;
  base::Fd connection_;
};

/// What systemd-oomd is answered: a Varlink reply that more may follow, with its terminating zero.
[[nodiscard]] std::string managed_oom_reply(const std::string& path);

}  // namespace evictd::bench
