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

/// The pods of a row: two bystanders that hold some files, and a filler per trial. One thread uses
/// it.
class DiskPlayers {
 public:
  DiskPlayers(stage::PrivateTree& tree, const DiskRow& row, const DiskGround& ground)
      : tree_(tree), row_(row), ground_(ground) {}

  /// Creates the two and waits until they hold their files.
  [[nodiscard]] Result<> start_bystanders();
  /// Creates a best-effort pod that ignores SIGTERM and waits for its start signal. It writes to
  /// the row's filesystem: to an emptyDir, or to a substitute for its writable layer.
  [[nodiscard]] Result<DiskActor> make_filler();
  /// Removes its process, its files, its cgroups and its manifest.
  [[nodiscard]] Result<> remove(DiskActor actor);
  /// Does a container runtime's cleanup of a dead container. Leaves an emptyDir alone: evictd
  /// removes it.
  void remove_layer(const DiskActor& actor) const;
  /// Whether both live and have all their bytes.
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
