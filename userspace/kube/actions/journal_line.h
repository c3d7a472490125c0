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

/// The event that a kubelet would have posted, taken from a record.
struct ReportedEvent {
  bool is_on_node = false;
  std::string type;
  std::string reason;
  std::string message;
};

/// The fields of an evictd journal line (docs/records.md) that can lead to an action. A member of
/// the wrong type counts as missing.
struct JournalLine {
  enum class Kind {
    kDecision,
    kProgress,
    kCondition,  ///< `name` is its type, `is_set` its status.
    kStarted,    ///< Start of evictd: no condition is set until evictd reports one.
    /// evictd no longer holds the lines between the cursor and `first`; `conditions` are the
    /// current ones.
    kSkipped,
    kOther,
  };
  Kind kind = Kind::kOther;
  /// 0 if the line has none.
  std::uint64_t seq = 0;
  std::uint64_t first = 0;
  std::uint64_t id = 0;
  std::string time{};
  /// Set for a decision about a pod and for a step; else empty.
  std::string ns{};
  std::string name{};
  std::string uid{};
  bool is_dry_run = false;
  /// The pod was not killed after all, because something protects it now.
  bool is_spared = false;
  /// Empty if no pod was evicted.
  std::string state{};
  std::string outcome{};
  std::string trigger{};
  std::int64_t grace_seconds = 0;
  std::string message{};
  std::map<std::string, std::string> annotations{};
  std::vector<ReportedEvent> events{};
  std::optional<PodCondition> condition{};
  bool is_set = false;
  /// Whether each condition is set, by type; empty if the line reports none.
  std::map<std::string, bool> conditions{};
};

/// Errors: those of read_shaped(); kInvalid if the text is no object.
[[nodiscard]] Result<JournalLine> read_journal_line(std::string_view text);

}  // namespace evictd::kube
