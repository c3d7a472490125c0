// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/fd.h"
#include "evictd/notify.h"
#include "evictd/result.h"

namespace evictd::notify_client {

/// The implementation behind a handle of `evictd/notify.h`: a connection to evictd, or the kernel
/// program in this process. Every error has its `sys_errno`. Thread-safe.
class Client {
 public:
  Client() = default;
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  virtual ~Client() = default;

  /// Errors: those of evictd_notify_register_at().
  [[nodiscard]] virtual Result<std::uint64_t> add(base::Fd cgroup, const evictd_notify_watch& watch,
                                                  int eventfd) = 0;
  /// Errors: those of evictd_notify_unregister().
  [[nodiscard]] virtual Result<> remove(std::uint64_t id) = 0;
  /// Errors: those of evictd_notify_query().
  [[nodiscard]] virtual Result<evictd_notify_state> query(std::uint64_t id) = 0;
  [[nodiscard]] virtual evictd_notify_info info() = 0;
};

}  // namespace evictd::notify_client
