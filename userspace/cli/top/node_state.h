// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace evictd::cli::top {

/// A threshold and how far it is away. Amounts: bytes, inodes or tasks.
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

  /// What is left until it is met; negative past it.
  [[nodiscard]] std::int64_t distance() const { return available - met_below; }
};

/// A pod as status tells of it; what it does not tell is empty or unset.
struct PodState {
  /// "namespace/name", or the uid.
  std::string name{};
  std::string uid{};
  std::string cgroup{};
  std::string origin{};
  /// Its state, and its protection where it has one: "active", "active, static".
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

  /// Working set beyond the request; negative below it. Unset where one of them is.
  [[nodiscard]] std::optional<std::int64_t> over_request() const;
};

/// What the screen shows of one answer to {"op":"status"}.
struct NodeState {
  std::string version{};
  std::string node{};
  std::string event_source{};
  bool realtime = false;
  bool dry_run = false;
  /// The brake that holds evictions; empty if none does.
  std::string brake{};
  /// Of the last pass, which is what signals and ranks are of: "2.0 s ago: nothing_met (regular)".
  std::string last_pass{};
  /// Conditions that are reported.
  std::vector<std::string> conditions{};
  std::int64_t evictions = 0;
  std::int64_t oom_kills = 0;
  std::int64_t lost_records = 0;
  std::vector<SignalState> signals{};
  std::vector<PodState> pods{};
};

/// Reads a status object. A field that is missing or is something else is left as it is above.
/// Source: docs/status.md.
[[nodiscard]] NodeState read_node_state(const nlohmann::ordered_json& status);

/// Whether a signal has come or gone, or moved by more than a thousandth of its capacity.
[[nodiscard]] bool is_moving(const NodeState& before, const NodeState& after);

}  // namespace evictd::cli::top
