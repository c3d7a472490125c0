// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "evictd/result.h"

namespace evictd::kube {

/// An event to be posted, or counted once more.
struct EventNote {
  /// About the node; else about the entry's pod, or what else `kind` says that the entry names.
  bool is_on_node = false;
  std::string type;
  std::string reason;
  std::string message;
  /// Of the object Event, made from what it is about and `first_time`.
  std::string name{};
  /// When it happened first and last, RFC 3339 in whole seconds.
  std::string first_time{};
  std::string last_time{};
  /// How often, this time included.
  std::int64_t count = 1;
  std::map<std::string, std::string> annotations{};
  /// Of the object of the entry's names; empty: v1 and Pod.
  std::string api_version{};
  std::string kind{};
};

/// As a kubelet would set it on a victim.
struct PodCondition {
  std::string type;
  std::string status;
  std::string reason;
  std::string message;
};

/// One request, whatever its form: repeated, it has no further effect.
struct Step {
  enum class Kind { kPodStatus, kEvict, kEvent };
  Kind kind = Kind::kEvict;
  /// Of kEvent.
  EventNote event{};
};

/// What is to be done at the API server for one line of evictd's journal, step by step.
struct Entry {
  /// Of its line, times kEntriesOfALine, and its place among those of this line.
  std::uint64_t number = 0;
  /// Of the victim, or of its controller.
  std::string ns;
  std::string name;
  std::string uid;
  /// The decision's, RFC 3339.
  std::string time;
  /// From `time` on.
  std::int64_t grace_seconds = 0;
  /// Of the pod's status.
  std::string message{};
  std::optional<PodCondition> condition{};
  std::vector<Step> steps{};
  /// How many of them are done.
  std::size_t done = 0;
};

inline constexpr std::uint64_t kEntriesOfALine = 4;

[[nodiscard]] nlohmann::json to_json(const Entry& entry);

/// Reads what to_json() wrote. Errors: kMalformed for anything else, and for names of which no
/// address may be made (names.h).
[[nodiscard]] Result<Entry> entry_from_json(const nlohmann::json& json);

}  // namespace evictd::kube
