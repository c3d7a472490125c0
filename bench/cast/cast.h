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

/// Memory that the bystanders hold and request, and the contents of every page of the cast.
struct Holdings {
  Bytes guaranteed_holds;
  Bytes guaranteed_asks;
  Bytes burstable_holds;
  Bytes burstable_asks;
  stage::PageContent content = stage::PageContent::kOneByte;
};

/// The pods of a race on one private tree, set up as a kubelet would: with oom_score_adj and
/// manifests. One thread uses it.
class Cast {
 public:
  /// `directory`: private, on tmpfs; manifests and stamps go below it.
  Cast(stage::PrivateTree& tree, std::filesystem::path evict_load, std::filesystem::path directory,
       const Holdings& holdings, Bytes capacity);

  /// Makes the guaranteed and the burstable pod hold their memory.
  Result<> fill_bystanders();
  /// Kills both; fill_bystanders() creates new ones, none of whose pages was ever swapped out.
  Result<> kill_bystanders();
  /// Creates a best-effort pod that ignores SIGTERM and waits for its start signal. Fills in the
  /// program, the directory and the pages' contents of `load`.
  Result<Actor> make_culprit(const std::string& name, stage::LoadOptions load);
  /// Removes its processes, its cgroups and its manifest.
  Result<> remove(Actor actor);

  [[nodiscard]] bool guaranteed_lives() const { return lives(guaranteed_); }
  [[nodiscard]] bool burstable_lives() const { return lives(burstable_); }
  /// How many of the two were created and are dead: fill_bystanders() replaces them.
  [[nodiscard]] int dead_bystanders() const;
  /// Returns after `time`, or as soon as both are dead.
  void watch_bystanders(Duration time) const;
  /// The container's directory (in the memory hierarchy on v1).
  [[nodiscard]] std::filesystem::path directory_of(const Actor& actor) const {
    return tree_.directories_of(actor.pod).front();
  }
  [[nodiscard]] std::filesystem::path manifests() const { return directory_ / "manifests"; }
  /// Processes of this pod that the kernel's OOM killer killed. Source: memory.events.
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

/// The kubelet's rule for a burstable pod: from 999 down to 2, less the more it requests.
[[nodiscard]] int burstable_oom_score_adj(Bytes request, Bytes capacity);

/// Writes /proc/PID/oom_score_adj. Errors: kPermission without CAP_SYS_RESOURCE to lower it.
[[nodiscard]] Result<> set_oom_score_adj(pid_t pid, int value);

}  // namespace evictd::bench
