// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include "base/fd.h"
#include "evictd/result.h"

namespace evictd::web {

/// Follows evictd's journal in a thread of its own, through every restart of evictd: begins with
/// what evictd's memory has, and goes on behind the last line that it got.
class JournalFollower {
 public:
  /// Called in the follower's thread for each line, with its number.
  using Take = std::function<void(std::uint64_t seq, std::string line)>;

  /// Errors: as eventfd(2).
  [[nodiscard]] static Result<std::unique_ptr<JournalFollower>> start(std::filesystem::path socket,
                                                                      Take take);
  JournalFollower(const JournalFollower&) = delete;
  JournalFollower& operator=(const JournalFollower&) = delete;
  /// Ends the thread.
  ~JournalFollower();

  /// Whether evictd is being followed now.
  [[nodiscard]] bool connected() const { return connected_; }
  /// Times that following began.
  [[nodiscard]] std::uint64_t connections() const { return connections_; }

 private:
  JournalFollower(std::filesystem::path socket, Take take, base::Fd stop);
  void run();
  /// Until evictd ends the stream or the destructor runs. False if evictd was not reached or
  /// refused.
  [[nodiscard]] bool follow();
  /// These are false once evictd has refused.
  [[nodiscard]] bool take_lines(std::string& unread);
  [[nodiscard]] bool take_line(std::string_view line);
  /// Waits before another try; false once the destructor runs.
  [[nodiscard]] bool pause(int milliseconds) const;

  const std::filesystem::path socket_;
  const Take take_;
  const base::Fd stop_;
  std::uint64_t last_seq_ = 0;
  std::atomic<bool> connected_{false};
  std::atomic<std::uint64_t> connections_{0};
  std::thread thread_;
};

}  // namespace evictd::web
