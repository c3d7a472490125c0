// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "evictd/bytes.h"
#include "harness/selection.h"
#include "stage/load_process.h"

namespace evictd::bench {

/// Who races the kernel's OOM killer.
enum class Racer {
  kEvictd,       ///< With BPF, grace 0.
  kEvictdGrace,  ///< With BPF, the default grace and its floor.
  kEvictdFloor,  ///< The same with a floor of 95 % of the threshold.
  kEvictdPoll,   ///< Polling every 10 s as the kubelet does, grace 0.
  kEarlyoom,
  kNohang,
  kOomd,
  kSystemdOomd,
};

/// Under what conditions: rows that share them are compared with one another.
struct RaceScene {
  bool zram = false;
  stage::PageKind pages = stage::PageKind::k4KiB;
  /// The hog's bytes a second; 0: as fast as it can.
  Bytes rate{0};
  /// Of memory.available, as a configuration has it.
  std::string_view threshold = "100Mi";
};

struct RaceRow {
  RaceScene scene;
  Racer racer = Racer::kEvictd;
};

[[nodiscard]] std::string_view name_of(Racer racer);
/// evictd in one of its ways.
[[nodiscard]] bool is_evictd(Racer racer);
/// The threshold in bytes on a machine with so much memory.
[[nodiscard]] Bytes threshold_of(const RaceScene& scene, Bytes capacity);
/// What a reader of the results sees.
[[nodiscard]] nlohmann::json params_of(const RaceRow& row);
/// "evictd full 4k 100Mi noswap": what --rows selects by.
[[nodiscard]] std::string title_of(const RaceRow& row);
/// Every row that `selection` wants, grouped by scene.
[[nodiscard]] std::vector<std::vector<RaceRow>> race_plan(const Selection& selection);

}  // namespace evictd::bench
