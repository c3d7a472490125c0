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

/// Follows evictd's journal by its control socket, for pods that no manifest describes, and for
/// whoever wants its lines. Where evictd is not there, or does not let us in, it is tried again.
/// Thread rule: everything belongs to the thread that
/// runs the loop.
class EvictdFollower {
 public:
  struct Options {
    /// evictd's control socket.
    std::string path;
    /// Borrowed.
    base::EventLoop* loop = nullptr;
    const core::Clock* clock = nullptr;
    /// What evictd is asked for, each time, without a line end.
    std::function<std::string()> request = [] { return std::string(R"({"op":"follow"})"); };
    /// Called with each line; may be empty. False: the rest is not wanted now, ask again later.
    std::function<bool(std::string_view line)> on_line{};
    /// Longer lines are left out.
    std::size_t longest_line = std::size_t{64} << 10U;
    /// A pod is undescribed, or may have become so while nobody listened.
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
  /// False once it is broken off.
  [[nodiscard]] bool take_lines();
  void disconnect(const std::string& problem);

  Options options_;
  base::Timer timer_;
  base::MemberHandler<EvictdFollower> timer_handler_{*this, &EvictdFollower::on_timer};
  base::MemberHandler<EvictdFollower> socket_handler_{*this, &EvictdFollower::on_readable};
  base::Fd connection_;
  std::string unread_;
  /// The line whose beginning was too long is left out up to its end.
  bool is_leaving_out_ = false;
  std::string problem_;
  Counters counters_;
};

/// Whether a line of the journal tells of a pod that nobody describes.
[[nodiscard]] bool tells_of_unknown_pod(std::string_view line);

}  // namespace evictd::kube
