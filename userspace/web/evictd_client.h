// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "evictd/result.h"
#include "evictd/time.h"

namespace evictd::web {

/// Asks the socket of evictd or of evictd-kube, one question at a time, however many clients want
/// to know: answers are kept for a moment, so that evictd is asked at most ten times a second, and
/// once more for each line of its journal. Thread-safe; blocks.
class EvictdClient {
 public:
  using Answer = std::shared_ptr<const nlohmann::ordered_json>;

  /// `program` is who answers, for errors.
  explicit EvictdClient(std::filesystem::path socket, std::string program = "evictd")
      : socket_(std::move(socket)), program_(std::move(program)) {}

  /// The answer to {"op": op}: an object or a list.
  /// Errors: as base::request_line(); kMalformed for an answer that is no JSON; kInvalid with
  /// the program's own words for a refusal.
  [[nodiscard]] Result<Answer> ask(const std::string& op);
  /// evictd has told of something: who asks from now on gets no answer from before.
  void outdate() { ++told_; }
  [[nodiscard]] const std::filesystem::path& socket() const { return socket_; }

  /// How long an answer is good for.
  static constexpr Duration kFreshness = std::chrono::milliseconds(100);

 private:
  struct Kept {
    Result<Answer> answer;
    std::chrono::steady_clock::time_point asked_at;
    /// What `told_` was before evictd was asked.
    std::uint64_t told;
  };

  const std::filesystem::path socket_;
  const std::string program_;
  std::atomic<std::uint64_t> told_{0};
  std::mutex mutex_;
  std::map<std::string, Kept> kept_;
};

}  // namespace evictd::web
