// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "evictd/result.h"
#include "kube/actions/entry.h"

namespace evictd::kube {

/// What a kubelet would have posted, as a record has it.
struct ToldEvent {
  bool is_on_node = false;
  std::string type;
  std::string reason;
  std::string message;
};

/// A line of evictd's journal (docs/records.md), with what of it an action may come of. Members of
/// another type than they should have are as if they were missing.
struct JournalLine {
  enum class Kind {
    kDecision,
    kProgress,
    kCondition,  ///< `name` is its type, `is_set` its status.
    kStarted,    ///< Of evictd: no condition is set until it says so.
    /// evictd's memory has nothing between the cursor and `first`; `conditions` are those of now.
    kSkipped,
    kOther,
  };
  Kind kind = Kind::kOther;
  /// 0 where it has none.
  std::uint64_t seq = 0;
  std::uint64_t first = 0;
  std::uint64_t id = 0;
  std::string time{};
  /// Of a decision about a pod, and of a step; else empty.
  std::string ns{};
  std::string name{};
  std::string uid{};
  bool is_dry_run = false;
  /// It was not killed after all, because something protects it now.
  bool is_spared = false;
  /// Empty where nobody was evicted.
  std::string state{};
  std::string outcome{};
  std::string trigger{};
  std::int64_t grace_seconds = 0;
  std::string message{};
  std::map<std::string, std::string> annotations{};
  std::vector<ToldEvent> events{};
  std::optional<PodCondition> condition{};
  bool is_set = false;
  /// By type, whether it is set; empty where none are told.
  std::map<std::string, bool> conditions{};
};

/// Errors: those of read_shaped(); kInvalid for what is no object.
[[nodiscard]] Result<JournalLine> read_journal_line(std::string_view text);

}  // namespace evictd::kube
