// SPDX-License-Identifier: Apache-2.0
#pragma once

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

/// Asks evictd's control socket, one question at a time, however many clients want to know: answers
/// are kept for a moment, so that evictd is asked at most ten times a second. Thread-safe; blocks.
class EvictdClient {
 public:
  using Answer = std::shared_ptr<const nlohmann::ordered_json>;

  explicit EvictdClient(std::filesystem::path socket) : socket_(std::move(socket)) {}

  /// The answer to {"op": op}: an object or a list.
  /// Errors: as base::request_line(); kMalformed for an answer that is no JSON; kInvalid with
  /// evictd's own words for a refusal.
  [[nodiscard]] Result<Answer> ask(const std::string& op);
  [[nodiscard]] const std::filesystem::path& socket() const { return socket_; }

  /// How long an answer is good for.
  static constexpr Duration kFreshness = std::chrono::milliseconds(100);

 private:
  struct Kept {
    Result<Answer> answer;
    std::chrono::steady_clock::time_point asked_at;
  };

  const std::filesystem::path socket_;
  std::mutex mutex_;
  std::map<std::string, Kept> kept_;
};

}  // namespace evictd::web
