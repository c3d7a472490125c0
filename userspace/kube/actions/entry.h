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

/// An event to post, or to count once more.
struct EventNote {
  /// True: the event is about the node. False: it is about the entry's pod, or about the object of
  /// `kind` that the entry names.
  bool is_on_node = false;
  std::string type;
  std::string reason;
  std::string message;
  /// Name of the Event object, derived from the event's object and `first_time`.
  std::string name{};
  /// First and last occurrence, RFC 3339 in whole seconds.
  std::string first_time{};
  std::string last_time{};
  /// Number of occurrences, including this one.
  std::int64_t count = 1;
  std::map<std::string, std::string> annotations{};
  /// Type of the object that the entry names; empty: v1 and Pod.
  std::string api_version{};
  std::string kind{};
};

/// A condition as a kubelet sets it on a victim.
struct PodCondition {
  std::string type;
  std::string status;
  std::string reason;
  std::string message;
};

/// One request, independent of its form. Repeating it has no further effect.
struct Step {
  enum class Kind { kPodStatus, kEvict, kEvent };
  Kind kind = Kind::kEvict;
  /// Used by kEvent only.
  EventNote event{};
};

/// The steps at the API server that one line of evictd's journal calls for.
struct Entry {
  /// The line's number times kEntriesOfALine, plus the entry's index within the line.
  std::uint64_t number = 0;
  /// The victim, or its controller.
  std::string ns;
  std::string name;
  std::string uid;
  /// Time of the decision, RFC 3339.
  std::string time;
  /// Counted from `time`.
  std::int64_t grace_seconds = 0;
  /// For the pod's status.
  std::string message{};
  std::optional<PodCondition> condition{};
  std::vector<Step> steps{};
  /// Number of finished steps.
  std::size_t done = 0;
};

inline constexpr std::uint64_t kEntriesOfALine = 4;

[[nodiscard]] nlohmann::json to_json(const Entry& entry);

/// Reads what to_json() wrote. Errors: kMalformed for anything else, and for names that must not
/// become part of a URL (names.h).
[[nodiscard]] Result<Entry> entry_from_json(const nlohmann::json& json);

}  // namespace evictd::kube
