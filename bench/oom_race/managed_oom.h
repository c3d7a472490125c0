// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/fd.h"
#include "evictd/result.h"
#include "evictd/time.h"

namespace evictd::bench {

/// Answers the one request that systemd-oomd sends to a service manager: which cgroups to watch.
/// The machine of the race has no service manager; systemd-oomd itself is the original. The socket
/// is removed with the object. One thread uses it.
class ManagedOom {
 public:
  /// Listens at a service manager's address, for the cgroup `path` and its descendants
  /// (ManagedOOMMemoryPressure=kill and ManagedOOMSwap=kill).
  /// Errors: kBusy if a service manager runs here; those of the socket.
  static Result<ManagedOom> start(std::string path);

  ManagedOom(const ManagedOom&) = delete;
  ManagedOom& operator=(const ManagedOom&) = delete;
  ManagedOom(ManagedOom&&) noexcept = default;
  ManagedOom& operator=(ManagedOom&&) = delete;
  ~ManagedOom();

  /// Waits for the request and answers it; the connection stays open. Errors: kTimedOut.
  Result<> tell(Duration timeout);

 private:
  ManagedOom(std::string path, base::Fd listener);

  std::string path_;
  base::Fd listener_;
  base::Fd connection_;
};

/// The answer to systemd-oomd: a Varlink reply with "continues" and its terminating zero.
[[nodiscard]] std::string managed_oom_reply(const std::string& path);

}  // namespace evictd::bench
