// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/event_loop.h"
#include "base/fd.h"
#include "base/line_server.h"
#include "base/log.h"
#include "base/member_handler.h"
#include "base/timer.h"
#include "core/clock.h"
#include "evictd/result.h"
#include "kube/actions/api_actions.h"
#include "kube/evictd_follower.h"
#include "kube/http_client.h"
#include "kube/kube_config.h"
#include "kube/observe/evicted_events.h"
#include "kube/observe/eviction_watch.h"
#include "kube/observe/observer.h"
#include "kube/pod_controllers.h"
#include "kube/pod_directory.h"
#include "kube/pod_source.h"
#include "kube/runtime_link.h"
#include "kube/server_access.h"

namespace evictd::kube {

/// The evictd-kube program: one thread, one event loop. It describes the node's pods to evictd in a
/// directory of manifests. It never waits for a server: SIGTERM ends it at once.
class Bridge final : private base::LineHandler, private AnswerHandler {
 public:
  struct Options {
    KubeSettings settings;
    std::string version;
    /// Borrowed.
    const core::Clock* clock = nullptr;
    base::Log* log = nullptr;
  };

  /// Errors: those of ManifestWriter::open(), of base::listen_unix() and of system calls; an
  /// unusable node name.
  [[nodiscard]] static Result<std::unique_ptr<Bridge>> create(Options options);
  Bridge(const Bridge&) = delete;
  Bridge& operator=(const Bridge&) = delete;
  ~Bridge() override = default;

  /// Runs until SIGTERM or SIGINT. The caller must block both signals.
  [[nodiscard]] Result<> run();

 private:
  Bridge(Options options, base::EventLoop loop, base::Timer timer);
  [[nodiscard]] Result<> prepare();
  [[nodiscard]] Result<> prepare_source();
  /// The sink that receives the source's reports.
  [[nodiscard]] PodSink* make_sink();
  [[nodiscard]] Result<> prepare_sockets();
  [[nodiscard]] Result<> prepare_runtime();
  [[nodiscard]] Result<> prepare_actions();
  [[nodiscard]] Result<> prepare_observer();
  [[nodiscard]] Result<> prepare_events();
  [[nodiscard]] Result<> prepare_follower();
  [[nodiscard]] std::string answer_to(const std::string& op) const;

  std::string on_line(std::string_view request, const base::PeerCredentials& peer) override;
  void on_head(int status) override;
  bool on_data(std::string_view piece) override;
  void on_end(const Answer& answer) override;

  void on_timer();
  void on_signal();
  /// Does whatever the source wants by now.
  void drive();
  void log_problems();
  [[nodiscard]] bool on_journal_line(std::string_view line);
  /// A part that may have a problem, and what happens while it has one.
  struct Telling {
    std::string_view what;
    std::string_view meanwhile;
  };
  void tell(const Telling& telling, const std::string& problem);

  Options options_;
  base::EventLoop loop_;
  base::Timer timer_;
  base::Fd signals_;
  base::MemberHandler<Bridge> timer_handler_{*this, &Bridge::on_timer};
  base::MemberHandler<Bridge> signal_handler_{*this, &Bridge::on_signal};
  std::string node_;
  std::optional<PodDirectory> directory_;
  std::unique_ptr<PodSource> source_;
  FindAccess find_access_;
  std::unique_ptr<HttpClient> client_;
  std::unique_ptr<base::LineServer> server_;
  /// nullptr if no runtime is configured.
  std::unique_ptr<RuntimeLink> runtime_;
  /// nullptr if evictd-kube does not act at the API server.
  std::unique_ptr<ApiActions> actions_;
  /// nullptr if nothing is compared.
  std::unique_ptr<Observer> observer_;
  std::optional<EvictionWatch> eviction_watch_;
  /// Set if evictd-kube acts at the API server.
  std::optional<PodControllers> controllers_;
  /// nullptr if no API server is asked for these events.
  std::unique_ptr<EvictedEvents> evicted_events_;
  std::unique_ptr<EvictdFollower> follower_;
  MonoTime started_at_{};
  std::uint64_t credential_failures_ = 0;
  /// The problems as last logged, by Telling::what; empty if there is none.
  std::map<std::string_view, std::string> told_;
  bool is_stopping_ = false;
};

}  // namespace evictd::kube
