// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "evictd/time.h"
#include "harness/selection.h"
#include "stage/load_process.h"

namespace evictd::bench {

/// Who notices the crossing and kills.
enum class Killer { kEvictd, kEventfd, kPoll10ms, kPoll100ms, kPoll1s };

/// Whose memory is watched.
enum class Target {
  kCgroup,  ///< allocatableMemory.available of the private pod root.
  kNode,    ///< memory.available, with the threshold just below what is there.
};

/// Under what conditions: rows that share them are compared with one another.
struct Scene {
  Target target = Target::kCgroup;
  stage::PageKind pages = stage::PageKind::k4KiB;
  bool busy_loops = false;

  bool operator==(const Scene&) const = default;
};

/// One row of the bench.
struct Row {
  Scene scene;
  Killer killer = Killer::kEvictd;
  bool realtime = false;
};

[[nodiscard]] std::string_view name_of(Killer killer);
/// Period of a poller; 0 for the others.
[[nodiscard]] Duration period_of(Killer killer);
/// {"killer", "realtime", "busy_loops", "pages", "threshold"}: what a reader of the results sees.
[[nodiscard]] nlohmann::json params_of(const Row& row);
/// "evictd fifo idle 4k cgroup": what --rows selects by.
[[nodiscard]] std::string title_of(const Row& row);

/// Every row that `selection` wants, grouped by scene. The eventfd rows are left out where the
/// kernel has no eventfd (cgroup v2). Pollers have rows with busy loops at real-time priority only.
[[nodiscard]] std::vector<std::vector<Row>> plan(const Selection& selection, bool with_eventfd);

}  // namespace evictd::bench
