// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/event_loop.h"
#include "base/line_server.h"
#include "daemon/control/node_growth.h"
#include "daemon/health/health_service.h"
#include "daemon/pods/pods_service.h"
#include "daemon/records/records_service.h"
#include "daemon/service_context.h"
#include "daemon/state/state_service.h"
#include "daemon/storage/release_worker.h"
#include "daemon/storage/storage_keeping.h"

namespace evictd::daemon {

/// The control socket: answers requests, publishes the journal, and puts requests of operators in
/// force. Thread rule: housekeeping only.
class ControlService final : private base::LineHandler {
 public:
  /// The services that it asks.
  struct Services {
    const RecordsService& records;
    const PodsService& pods;
    StateService& state;
    const StorageKeeping& storage;
    const HealthService& health;
    const ReleaseWorker& releaser;
  };

  /// Serves from `loop`. `exchange_messages` exchanges messages with the hot thread while a request
  /// waits for its answer. Errors: those of base::LineServer::create().
  [[nodiscard]] static Result<std::unique_ptr<ControlService>> create(
      const ServiceContext& context, const Services& services, base::EventLoop& loop,
      std::function<void()> exchange_messages);
  ControlService(const ControlService&) = delete;
  ControlService& operator=(const ControlService&) = delete;
  ~ControlService() override = default;

  /// Sends a line to all listeners.
  void publish(std::string_view line) { server_->publish(line); }
  /// Reads what forecasts are made from; call it once a second.
  void check();

 private:
  ControlService(const ServiceContext& context, const Services& services,
                 std::function<void()> exchange_messages)
      : context_(context),
        services_(services),
        exchange_messages_(std::move(exchange_messages)),
        started_at_(context.clock->now()) {}
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

  const ServiceContext& context_;
  Services services_;
  std::function<void()> exchange_messages_;
  MonoTime started_at_;
  NodeGrowth node_growth_;
  std::unique_ptr<base::LineServer> server_;
};

}  // namespace evictd::daemon
