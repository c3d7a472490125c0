// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "base/timer.h"
#include "evictd/result.h"

namespace evictd::web {

/// Follows evictd's journal in its own thread, across restarts of evictd. Starts with the lines in
/// evictd's memory and continues after the last line that it got.
class JournalFollower {
 public:
  /// Called in the follower's thread for each line, with its number.
  using Take = std::function<void(std::uint64_t seq, std::string line)>;

  /// Errors: as eventfd(2).
  [[nodiscard]] static Result<std::unique_ptr<JournalFollower>> start(std::filesystem::path socket,
                                                                      Take take);
  JournalFollower(const JournalFollower&) = delete;
  JournalFollower& operator=(const JournalFollower&) = delete;
  /// Stops the thread.
  ~JournalFollower();

  /// Whether evictd is being followed now.
  [[nodiscard]] bool connected() const { return connected_; }

 private:
  JournalFollower(std::filesystem::path socket, Take take, base::WakeUp stop);
  void run();
  /// Runs until evictd ends the stream or the destructor runs. Returns false if evictd was
  /// unreachable or refused.
  [[nodiscard]] bool follow();
  /// Returns false once evictd has refused.
  [[nodiscard]] bool take_line(const std::string& line);
  /// Waits before the next attempt; returns false once the destructor runs.
  [[nodiscard]] bool pause(int milliseconds) const;

  const std::filesystem::path socket_;
  const Take take_;
  const base::WakeUp stop_;
  std::uint64_t last_seq_ = 0;
  std::atomic<bool> connected_{false};
  std::thread thread_;
};

}  // namespace evictd::web
