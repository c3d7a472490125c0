// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/event_loop.h"
#include "base/fd.h"
#include "base/member_handler.h"
#include "base/timer.h"
#include "core/clock.h"
#include "evictd/result.h"

namespace evictd::kube {

/// Follows evictd's journal through its control socket: detects pods without a manifest, and passes
/// lines on. Retries if evictd is not running or refuses the connection.
/// Thread rule: everything belongs to the thread that runs the loop.
class EvictdFollower {
 public:
  struct Options {
    /// evictd's control socket.
    std::string path;
    /// Borrowed.
    base::EventLoop* loop = nullptr;
    const core::Clock* clock = nullptr;
    /// Builds the request sent at each connect, without a line end.
    std::function<std::string()> request = [] { return std::string(R"({"op":"follow"})"); };
    /// Called with each line; may be empty. Return false to drop the rest and ask again later.
    std::function<bool(std::string_view line)> on_line{};
    /// Longer lines are skipped.
    std::size_t longest_line = std::size_t{64} << 10U;
    /// Called when a pod has no manifest, or may have lost it while evictd was not followed.
    std::function<void()> on_unknown_pod;
  };
  struct Counters {
    std::uint64_t connections = 0;
    std::uint64_t lines = 0;
    std::uint64_t unknown_pods = 0;
    std::uint64_t oversized_lines = 0;
  };

  [[nodiscard]] static Result<std::unique_ptr<EvictdFollower>> create(Options options);
  EvictdFollower(const EvictdFollower&) = delete;
  EvictdFollower& operator=(const EvictdFollower&) = delete;
  ~EvictdFollower();

  [[nodiscard]] bool connected() const { return static_cast<bool>(connection_); }
  /// Why evictd is not followed; empty while it is.
  [[nodiscard]] const std::string& problem() const { return problem_; }
  [[nodiscard]] const Counters& counters() const { return counters_; }

 private:
  EvictdFollower(Options options, base::Timer timer);
  void connect();
  [[nodiscard]] Result<base::Fd> subscribe() const;
  void on_timer();
  void on_readable();
  /// Returns false if the connection was closed.
  [[nodiscard]] bool take_lines();
  void disconnect(const std::string& problem);

  Options options_;
  base::Timer timer_;
  base::MemberHandler<EvictdFollower> timer_handler_{*this, &EvictdFollower::on_timer};
  base::MemberHandler<EvictdFollower> socket_handler_{*this, &EvictdFollower::on_readable};
  base::Fd connection_;
  std::string unread_;
  /// The beginning of the current line was too long; its rest is skipped.
  bool is_skipping_line_ = false;
  std::string problem_;
  Counters counters_;
};

/// Whether a journal line reports a pod without a manifest.
[[nodiscard]] bool reports_unknown_pod(std::string_view line);

}  // namespace evictd::kube
