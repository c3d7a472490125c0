// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <httplib.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "evictd/result.h"
#include "web/event_buffer.h"
#include "web/evictd_client.h"
#include "web/eviction_history.h"
#include "web/http_server.h"
#include "web/journal_follower.h"
#include "web/readiness.h"
#include "web/token_file.h"

namespace evictd::web {

/// evictd-web's endpoints: metrics, the API, the page. docs/web.md lists every path.
class Service {
 public:
  struct Options {
    std::string control_socket;
    /// evictd-kube's socket; empty: evictd-kube is not asked.
    std::string kube_socket;
    std::string token_file;
    ReadyRequires ready_requires = ReadyRequires::kAny;
    /// Number of pods shown in metrics.
    std::size_t pod_metrics = 0;
    std::string version;
  };

  /// Starts to follow evictd and adds the paths to `server`, which must outlive the service.
  /// Errors: as JournalFollower::start().
  [[nodiscard]] static Result<std::unique_ptr<Service>> start(Options options, HttpServer& server);
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;
  ~Service() = default;

  /// Ends all event streams, so that the server can stop.
  void end_streams() { events_.close(); }

 private:
  using Request = httplib::Request;
  using Response = httplib::Response;

  Service(Options options, HttpServer& server);
  void add_paths();
  void add_page();
  /// Whether the request may continue; otherwise it has been answered with 401.
  [[nodiscard]] bool let_in(const Request& request, Response& response) const;
  void metrics(Response& response);
  void ready(Response& response);
  void status(Response& response);
  void records(const Request& request, Response& response);
  void record(const Request& request, Response& response);
  void stream(const Request& request, Response& response);

  const Options options_;
  HttpServer& server_;
  TokenFile token_;
  EvictdClient client_;
  EvictdClient kube_client_;
  EventBuffer events_;
  std::mutex history_mutex_;
  EvictionHistory history_;
  std::atomic<std::size_t> streams_{0};
  std::unique_ptr<JournalFollower> follower_;  ///< Last: its thread uses the others.
};

}  // namespace evictd::web
