// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "base/system_clock.h"
#include "notify/engine.h"
#include "notify/engine_thread.h"
#include "notify_client/client.h"

namespace evictd::notify_client {

/// The errno of evictd_notify_open() if creating the engine failed with `error`: EMFILE, ENFILE,
/// ENOMEM and EAGAIN unchanged, EPERM without privileges, else EOPNOTSUPP.
[[nodiscard]] int errno_of_opening(const Error& error);

/// Serves registrations without evictd, by a kernel program and a thread of this process.
class InProcessClient final : public Client {
 public:
  /// Errors: those of errno_of_opening().
  [[nodiscard]] static Result<std::unique_ptr<InProcessClient>> create();

  [[nodiscard]] Result<std::uint64_t> add(base::Fd cgroup, const evictd_notify_watch& watch,
                                          int eventfd) override;
  [[nodiscard]] Result<> remove(std::uint64_t id) override;
  [[nodiscard]] Result<evictd_notify_state> query(std::uint64_t id) override;
  [[nodiscard]] evictd_notify_info info() override;

 private:
  InProcessClient() = default;

  base::SystemClock clock_;
  std::unique_ptr<notify::Engine> engine_;
  /// Must be destroyed before the engine.
  std::unique_ptr<notify::EngineThread> thread_;
};

}  // namespace evictd::notify_client
