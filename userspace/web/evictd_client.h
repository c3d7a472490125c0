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

/// Asks the socket of evictd or evictd-kube, one request at a time. Caches answers for a moment,
/// for all clients. So evictd gets at most ten requests a second, and one more for each line of its
/// journal. Thread-safe; blocks.
class EvictdClient {
 public:
  using Answer = std::shared_ptr<const nlohmann::ordered_json>;

  /// `program` is the answering program's name, for errors.
  explicit EvictdClient(std::filesystem::path socket, std::string program = "evictd")
      : socket_(std::move(socket)), program_(std::move(program)) {}

  /// Returns the answer to {"op": op}: an object or a list.
  /// Errors: as base::request_line(); kMalformed if the answer is no JSON; kInvalid with the
  /// program's own message if it refuses.
  [[nodiscard]] Result<Answer> ask(const std::string& op);
  /// evictd reported an event: later callers get no answer from before it.
  void invalidate() { ++told_; }

  /// How long an answer stays valid.
  static constexpr Duration kFreshness = std::chrono::milliseconds(100);

 private:
  struct Kept {
    Result<Answer> answer;
    std::chrono::steady_clock::time_point asked_at;
    /// Value of `told_` before evictd was asked.
    std::uint64_t told;
  };

  const std::filesystem::path socket_;
  const std::string program_;
  std::atomic<std::uint64_t> told_{0};
  std::mutex mutex_;
  std::map<std::string, Kept> kept_;
};

}  // namespace evictd::web
