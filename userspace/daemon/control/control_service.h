// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "base/event_loop.h"
#include "base/line_server.h"
#include "daemon/health/health_service.h"
#include "daemon/housekeeping_options.h"
#include "daemon/pods/pods_service.h"
#include "daemon/records/records_service.h"
#include "daemon/state/state_service.h"
#include "daemon/storage/release_worker.h"
#include "daemon/storage/storage_keeping.h"

namespace evictd::daemon {

/// The control socket: answers requests, publishes the journal, and puts requests of operators in
/// force. Thread rule: housekeeping only.
class ControlService final : private base::LineHandler {
 public:
  struct Options {
    // All borrowed.
    const HousekeepingOptions* inputs = nullptr;
    RecordsService* records = nullptr;
    const PodsService* pods = nullptr;
    StateService* state = nullptr;
    const StorageKeeping* storage = nullptr;
    const HealthService* health = nullptr;
    const ReleaseWorker* releaser = nullptr;
    /// Follows reloads.
    const std::shared_ptr<const config::Config>* config = nullptr;
    /// Exchanges messages with the hot thread while a request waits for its answer.
    std::function<void()> exchange_messages;
  };

  /// Serves from `loop`. Errors: those of base::LineServer::create().
  [[nodiscard]] static Result<std::unique_ptr<ControlService>> create(Options options,
                                                                      base::EventLoop& loop);
  ControlService(const ControlService&) = delete;
  ControlService& operator=(const ControlService&) = delete;
  ~ControlService() override = default;

  /// Sends a line to all listeners.
  void publish(std::string_view line) { server_->publish(line); }

 private:
  explicit ControlService(Options options);
  std::string on_line(std::string_view request, const base::PeerCredentials& peer) override;
  std::optional<std::string> on_subscription(std::string_view request) override;
  void on_turned_away() override;
  [[nodiscard]] nlohmann::ordered_json status() const;
  [[nodiscard]] nlohmann::ordered_json all_records() const;
  [[nodiscard]] std::string events_since(WallTime since) const;
  [[nodiscard]] std::string lines_after(const nlohmann::ordered_json& cursor) const;

  // control_brakes.cpp
  [[nodiscard]] Result<nlohmann::ordered_json> change_wishes(std::string_view op,
                                                             const nlohmann::json& request);
  [[nodiscard]] Result<> put_in_force(const engine::OperatorWishes& wishes);

  Options options_;
  std::unique_ptr<base::LineServer> server_;
  MonoTime started_at_{};
};

}  // namespace evictd::daemon
