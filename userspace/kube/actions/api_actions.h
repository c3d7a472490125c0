// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "base/event_loop.h"
#include "base/log.h"
#include "base/member_handler.h"
#include "base/timer.h"
#include "core/clock.h"
#include "evictd/result.h"
#include "kube/actions/dispatcher.h"
#include "kube/actions/durable_queue.h"
#include "kube/actions/node_keeper.h"
#include "kube/actions/planner.h"
#include "kube/http_client.h"
#include "kube/kube_config.h"
#include "kube/server_access.h"

namespace evictd::kube {

/// Carries out at the API server what evictd's records call for. It reads the journal's lines,
/// stores the resulting requests in a file, and sends them one after the other.
/// Thread rule: everything belongs to the thread that runs the loop; that thread also writes the
/// files.
class ApiActions final : private AnswerHandler {
 public:
  struct Options {
    ActionSettings settings;
    std::string node;
    FindAccess find_access;
    /// Finds the controller of a victim.
    std::function<std::optional<Controller>(const std::string& uid)> find_controller;
    RandomPart random;
    /// Borrowed.
    base::EventLoop* loop = nullptr;
    const core::Clock* clock = nullptr;
    base::Log* log = nullptr;
  };
  /// Counts of journal lines.
  struct Counters {
    std::uint64_t lines = 0;
    std::uint64_t unreadable = 0;
    /// Gaps: evictd dropped lines before evictd-kube read them.
    std::uint64_t skipped = 0;
    std::uint64_t credential_failures = 0;
  };

  /// Errors: those of DurableQueue::open() and of system calls.
  [[nodiscard]] static Result<std::unique_ptr<ApiActions>> create(Options options);
  ApiActions(const ApiActions&) = delete;
  ApiActions& operator=(const ApiActions&) = delete;
  ~ApiActions() override;

  /// The request that makes evictd continue its journal after the last line that is known here.
  [[nodiscard]] std::string follow_request() const;
  /// Takes a journal line. Returns false if it cannot be taken now; the caller then asks for the
  /// journal again.
  [[nodiscard]] bool on_line(std::string_view line);

  /// The current problem; empty if there is none.
  [[nodiscard]] const std::string& problem() const;
  /// The part of the status that docs/kubernetes.md describes.
  [[nodiscard]] nlohmann::ordered_json status() const;

 private:
  ApiActions(Options options, DurableQueue queue, base::Timer timer);
  [[nodiscard]] Result<> prepare();
  [[nodiscard]] nlohmann::ordered_json node_status() const;
  [[nodiscard]] nlohmann::ordered_json loop_status() const;
  /// The pressure that the node should show, and the time at which it changes by itself.
  [[nodiscard]] Pressure wanted_pressure() const;
  [[nodiscard]] MonoTime damping_end() const;
  [[nodiscard]] Result<> take(std::string_view text);
  [[nodiscard]] Result<> pass_over(const JournalLine& skipped);
  void on_timer();
  void drive();
  [[nodiscard]] std::optional<Ask> next_ask(MonoTime now);
  void begin(const Ask& ask);

  void on_head(int /*status*/) override {}
  bool on_data(std::string_view /*piece*/) override { return true; }
  void on_end(const Answer& answer) override;

  Options options_;
  DurableQueue queue_;
  Dispatcher dispatcher_;
  base::Timer timer_;
  base::MemberHandler<ApiActions> timer_handler_{*this, &ApiActions::on_timer};
  std::unique_ptr<HttpClient> client_;
  /// Set in mode own, and where loops are damped.
  std::optional<NodeKeeper> keeper_;
  /// Who sent the request in progress.
  enum class Asker { kNobody, kDispatcher, kKeeper };
  Asker asker_ = Asker::kNobody;
  PlannerCounters planned_;
  Counters counters_;
  /// Problem with the queue's file.
  std::string file_problem_;
  /// Why the last line was not taken.
  std::string line_problem_;
};

}  // namespace evictd::kube
