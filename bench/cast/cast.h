// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "evictd/bytes.h"
#include "evictd/result.h"
#include "evictd/time.h"
#include "stage/load_process.h"
#include "stage/private_tree.h"

namespace evictd::bench {

/// A pod with its process and its manifest.
struct Actor {
  stage::StagedPod pod;
  stage::LoadProcess process;
};

/// What the bystanders hold, what they ask for, and what every page of the cast holds.
struct Holdings {
  Bytes guaranteed_holds;
  Bytes guaranteed_asks;
  Bytes burstable_holds;
  Bytes burstable_asks;
  stage::PageContent content = stage::PageContent::kOneByte;
};

/// The pods of a race on one private tree: what a kubelet would have made of them, oom_score_adj
/// and manifests included. One thread uses it.
class Cast {
 public:
  /// `directory`: of ours, on tmpfs; manifests and stamps are made below it.
  Cast(stage::PrivateTree& tree, std::filesystem::path evict_load, std::filesystem::path directory,
       const Holdings& holdings, Bytes capacity);

  /// Sees to it that the guaranteed and the burstable pod hold what they hold.
  Result<> fill_bystanders();
  /// Ends both; fill_bystanders() makes new ones, none of whose pages was ever swapped out.
  Result<> dismiss_bystanders();
  /// A new best-effort pod that waits to be let go and ignores SIGTERM. Of `load` the program, the
  /// directory and the pages' content are filled in here.
  Result<Actor> make_culprit(const std::string& name, stage::LoadOptions load);
  /// Its processes, its cgroups and its manifest go.
  Result<> remove(Actor actor);

  [[nodiscard]] bool guaranteed_lives() const { return lives(guaranteed_); }
  [[nodiscard]] bool burstable_lives() const { return lives(burstable_); }
  /// Of the two those that were made and are dead: what fill_bystanders() will replace.
  [[nodiscard]] int dead_bystanders() const;
  /// Returns after this time, or as soon as none of the two lives.
  void watch_bystanders(Duration time) const;
  /// The container's directory (of the memory hierarchy on v1).
  [[nodiscard]] std::filesystem::path directory_of(const Actor& actor) const {
    return tree_.directories_of(actor.pod).front();
  }
  [[nodiscard]] std::filesystem::path manifests() const { return directory_ / "manifests"; }
  /// Processes that the kernel's OOM killer took from this pod. Source: memory.events.
  [[nodiscard]] Result<std::int64_t> oom_kills(const Actor& actor) const;

 private:
  Result<Actor> make(const stage::PodSpec& spec, const stage::LoadOptions& load, int oom_score_adj);
  Result<> fill(std::optional<Actor>& actor, const stage::PodSpec& spec, Bytes amount,
                int oom_score_adj);
  Result<> dismiss(std::optional<Actor>& actor);
  [[nodiscard]] static bool lives(const std::optional<Actor>& actor);

  stage::PrivateTree& tree_;
  std::filesystem::path evict_load_;
  std::filesystem::path directory_;
  Holdings holdings_;
  Bytes capacity_;
  std::optional<Actor> guaranteed_;
  std::optional<Actor> burstable_;
};

/// The kubelet's rule for a burstable pod: less the more it asked for, from 999 to 2.
[[nodiscard]] int burstable_oom_score_adj(Bytes request, Bytes capacity);

/// Writes /proc/PID/oom_score_adj. Errors: kPermission without CAP_SYS_RESOURCE to lower it.
[[nodiscard]] Result<> set_oom_score_adj(pid_t pid, int value);

}  // namespace evictd::bench
