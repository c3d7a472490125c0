// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace evictd::cli::top {

/// A threshold and its distance. Quantities: bytes, inodes or tasks.
struct SignalState {
  std::string signal{};
  /// "hard", or "soft 90s" with its grace period.
  std::string kind{};
  std::string threshold{};
  bool observed = false;
  bool met = false;
  std::int64_t available = 0;
  std::int64_t capacity = 0;
  std::int64_t met_below = 0;
  /// Time until it is met at the present rate, and the same in words; unset if not foreseen.
  std::optional<std::int64_t> time_to_threshold_ms{};
  std::string forecast{};

  /// What is left until it is met; negative if it is past.
  [[nodiscard]] std::int64_t distance() const { return available - met_below; }
};

/// A pod in the status; missing fields are empty or unset.
struct PodState {
  /// "namespace/name", or the uid.
  std::string name{};
  std::string uid{};
  std::string cgroup{};
  std::string origin{};
  /// Its state, and its protection if it has one: "active", "active, static".
  std::string state{};
  bool is_protected = false;
  std::string qos{};
  std::optional<std::int64_t> priority{};
  std::optional<std::int64_t> request{};
  std::optional<std::int64_t> usage{};
  std::optional<std::int64_t> inactive_file{};
  std::optional<std::int64_t> working_set{};
  std::optional<std::int64_t> tasks{};
  std::optional<std::int64_t> stall_us{};
  std::optional<std::int64_t> rate{};
  std::optional<std::int64_t> local_storage{};
  /// 1 goes first; 0 is not ranked.
  std::int64_t memory_rank = 0;
  std::int64_t task_rank = 0;

  /// Working set minus request; negative below the request. Unset if one of them is.
  [[nodiscard]] std::optional<std::int64_t> over_request() const;
};

/// The part of an answer to {"op":"status"} that the screen shows.
struct NodeState {
  std::string version{};
  std::string node{};
  std::string event_source{};
  bool realtime = false;
  bool dry_run = false;
  /// The brake that holds evictions; empty without one.
  std::string brake{};
  /// The last pass, which signals and ranks are from: "2.0 s ago: nothing_met (regular)".
  std::string last_pass{};
  /// Reported conditions.
  std::vector<std::string> conditions{};
  std::int64_t evictions = 0;
  std::int64_t oom_kills = 0;
  std::int64_t lost_records = 0;
  std::vector<SignalState> signals{};
  std::vector<PodState> pods{};
};

/// Parses a status object. A field that is missing or has another type keeps its default.
/// Source: docs/status.md.
[[nodiscard]] NodeState read_node_state(const nlohmann::ordered_json& status);

/// Whether a signal appeared, disappeared, or moved by more than a thousandth of its capacity.
[[nodiscard]] bool is_moving(const NodeState& before, const NodeState& after);

}  // namespace evictd::cli::top
