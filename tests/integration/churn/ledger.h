// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "stage/child.h"

namespace evictd::churn {

enum class Standing { kMayGo, kProtected };

/// Which pods there were, how each came to its end, and what evictd wrote of that. Pure.
/// One thread uses it.
class Ledger {
 public:
  void born(const std::string& uid, const std::string& name, Standing standing);
  /// It is ended from outside from now on: of this end no record is due.
  void ending(const std::string& uid);
  void died(const std::string& uid, const stage::ChildExit& end);
  /// A line of evictd's record file.
  void take_line(std::string_view text);

  /// What is wrong by now, one text each; empty: nothing. A record may come a moment after its
  /// pod's end, and its last state another moment later.
  [[nodiscard]] std::vector<std::string> complaints() const;

  [[nodiscard]] std::size_t pods() const { return pods_.size(); }
  /// Evictions begun, by their records.
  [[nodiscard]] std::size_t evictions() const;
  /// Lines that say that a threshold was met, or no longer is.
  [[nodiscard]] std::size_t crossings() const { return crossings_; }
  [[nodiscard]] std::size_t lines() const { return lines_; }

 private:
  struct Pod {
    std::string name;
    Standing standing = Standing::kMayGo;
    bool ended_from_outside = false;
    /// How it ended by no doing of ours; empty if it did not.
    std::string end;
    bool by_signal = false;
  };
  /// The newest line of an eviction.
  struct Eviction {
    std::string uid;
    std::string name;
    std::string outcome;
    std::string state;
  };

  void complain_of_pods(std::vector<std::string>& found) const;
  void complain_of_evictions(std::vector<std::string>& found) const;

  std::map<std::string, Pod> pods_;
  std::map<std::uint64_t, Eviction> evictions_;
  /// Uids of pods with an eviction.
  std::set<std::string> evicted_;
  /// Lines that should not be there.
  std::vector<std::string> strange_;
  std::size_t crossings_ = 0;
  std::size_t lines_ = 0;
};

}  // namespace evictd::churn
