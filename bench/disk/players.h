// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "disk/row.h"
#include "evictd/result.h"
#include "stage/load_process.h"
#include "stage/private_tree.h"

namespace evictd::bench {

/// A pod with its process and the directory that it writes to.
struct DiskActor {
  stage::StagedPod pod;
  stage::LoadProcess process;
  std::filesystem::path files;
};

/// The pods of a row: two that hold some files, and a filler for each trial. One thread uses it.
class DiskPlayers {
 public:
  DiskPlayers(stage::PrivateTree& tree, const DiskRow& row, const DiskGround& ground)
      : tree_(tree), row_(row), ground_(ground) {}

  /// Makes the two and waits until they hold what they hold.
  [[nodiscard]] Result<> start_bystanders();
  /// A best-effort pod that ignores SIGTERM and waits to be let go. It writes where the row's
  /// filesystem is: to an emptyDir, or to what stands for its writable layer.
  [[nodiscard]] Result<DiskActor> make_filler();
  /// Its process, its files, its cgroups and its manifest go.
  [[nodiscard]] Result<> remove(DiskActor actor);
  /// What a container runtime does once a container is dead. Of an emptyDir nothing: that is
  /// evictd's.
  void remove_layer(const DiskActor& actor) const;
  /// Both live and have all their bytes.
  [[nodiscard]] bool bystanders_untouched() const;

 private:
  [[nodiscard]] Result<DiskActor> make(const stage::PodSpec& spec, stage::LoadOptions load,
                                       FilledFilesystem filesystem);

  stage::PrivateTree& tree_;
  const DiskRow& row_;
  const DiskGround& ground_;
  std::vector<DiskActor> bystanders_;
};

}  // namespace evictd::bench
