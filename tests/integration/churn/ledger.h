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
  /// Its processes are in the new pod `to` from now on, and its cgroup is removed. A signal to them
  /// may be on its way: a record of either pod counts for both.
  void moved(const std::string& from, const std::string& to, const std::string& name);
  /// It was ended from outside, and its cgroup is made anew with a new process.
  void came_back(const std::string& uid);
  /// The witness saw somebody else signal it: "signal 9 by process 12 (evictd)".
  void was_signalled(const std::string& uid, std::string by);
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
  [[nodiscard]] std::size_t moves() const { return moves_; }
  [[nodiscard]] std::size_t returns() const { return returns_; }
  /// Pods that the witness saw signalled.
  [[nodiscard]] std::size_t signalled() const;

 private:
  struct Pod {
    std::string name;
    Standing standing = Standing::kMayGo;
    bool ended_from_outside = false;
    /// How it ended by no doing of ours; empty if it did not.
    std::string end;
    bool by_signal = false;
    /// Who signalled it; empty: the witness saw nobody do so.
    std::string signalled;
    bool came_back = false;
    /// Uids of the pod whose processes it took over, and of the one that took over its own.
    std::string before;
    std::string next;
  };
  /// The newest line of an eviction.
  struct Eviction {
    std::string uid;
    std::string name;
    std::string outcome;
    std::string state;
    /// It says that it signalled so many.
    std::int64_t processes = 0;
    /// Its pod was being ended from outside when its first line came: all may have been dead.
    bool came_late = false;
  };

  [[nodiscard]] const Pod* find(const std::string& uid) const;
  [[nodiscard]] bool has_record(const std::string& uid, const Pod& pod) const;
  /// It or that pod is ended from outside, or was before it came back.
  [[nodiscard]] bool has_been_ended(const std::string& uid) const;
  /// It, or the pod that took its processes over.
  [[nodiscard]] bool is_known_signalled(const std::string& uid) const;
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
  std::size_t moves_ = 0;
  std::size_t returns_ = 0;
};

}  // namespace evictd::churn
