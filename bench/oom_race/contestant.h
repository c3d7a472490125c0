// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <utility>

#include "evictd/result.h"
#include "oom_race/plan.h"
#include "oom_race/rival.h"
#include "stage/daemon_process.h"
#include "stage/private_tree.h"

namespace evictd::bench {

struct ContestantOptions {
  RaceRow row;
  const stage::PrivateTree& tree;
  /// Directory of the evictd binary.
  std::filesystem::path programs;
  /// A private directory on tmpfs.
  std::filesystem::path directory;
  std::filesystem::path manifests;
};

/// The running racer of one row: complete evictd or a rival.
class Contestant {
 public:
  /// Returns once it watches; the kernel's OOM killer does not kill it.
  /// Errors: those of the program that it starts.
  static Result<Contestant> start(const ContestantOptions& options);

  [[nodiscard]] bool lives() const;

 private:
  explicit Contestant(stage::DaemonProcess daemon) : daemon_(std::move(daemon)) {}
  explicit Contestant(Rival rival) : rival_(std::move(rival)) {}

  std::optional<stage::DaemonProcess> daemon_;
  std::optional<Rival> rival_;
};

}  // namespace evictd::bench
