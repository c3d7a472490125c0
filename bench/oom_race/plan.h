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

/// The programs that race the kernel's OOM killer.
enum class Racer {
  kEvictd,              ///< With BPF, grace 0, memory.available as the kernel defines it.
  kEvictdGrace,         ///< The same with the default grace and its floor.
  kEvictdBridge,        ///< As kEvictdGrace, with graceBridge: memoryHigh.
  kEvictdPoll,          ///< Polling every 10 s as the kubelet does, grace 0, as the kernel defines
                        ///< it.
  kEvictdKubelet,       ///< With BPF, grace 0, memory.available as the kubelet defines it.
  kEvictdKubeletGrace,  ///< The same with the default grace and its floor: the default
                        ///< configuration.
  kEarlyoom,
  kNohang,
  kOomd,
  kSystemdOomd,
};

/// The machine's swap.
enum class SwapKind {
  kNone,
  kZram,  ///< Compressed in memory.
  kFile,  ///< On the disk.
};

/// The conditions of a race.
struct RaceScene {
  SwapKind swap = SwapKind::kNone;
  stage::PageKind pages = stage::PageKind::k4KiB;
  /// The hog's bytes a second; 0: as fast as possible.
  Bytes rate{0};
  /// Threshold of memory.available, as in a configuration.
  std::string_view threshold = "100Mi";
};

struct RaceRow {
  RaceScene scene;
  Racer racer = Racer::kEvictd;
};

/// Trials that run once and are reported in each of these rows, at least one. The rows differ only
/// in a threshold that their racer does not know: only the time since its crossing differs.
struct RaceRun {
  std::vector<RaceRow> rows;

  [[nodiscard]] const RaceRow& first() const { return rows.front(); }
};

[[nodiscard]] std::string_view name_of(Racer racer);
[[nodiscard]] std::string_view name_of(SwapKind swap);
/// Whether the racer is evictd: no other racer knows the row's threshold.
[[nodiscard]] bool is_evictd(Racer racer);
/// Its source of memory.available, as in a configuration.
[[nodiscard]] std::string_view memory_source_of(Racer racer);
/// The threshold in bytes on a machine with memory `capacity`.
[[nodiscard]] Bytes threshold_of(const RaceScene& scene, Bytes capacity);
/// The row's parameters in the results.
[[nodiscard]] nlohmann::json params_of(const RaceRow& row);
/// "evictd full 4k 100Mi noswap": the words that --rows selects by.
[[nodiscard]] std::string title_of(const RaceRow& row);
/// Every row that `selection` matches. A group is all racers of one kind of hog with or without
/// swap. Their order was drawn once and is the same in every run, whatever is selected.
[[nodiscard]] std::vector<std::vector<RaceRun>> race_plan(const Selection& selection);

}  // namespace evictd::bench
