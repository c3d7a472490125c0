// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "base/kernel_clock.h"
#include "evictd/result.h"
#include "probe/ladder.h"
#include "probe/options.h"

struct bpf_link;
struct evictd_bpf;

namespace evictd::probe {

struct SkeletonDeleter {
  void operator()(evictd_bpf* skeleton) const;
};
struct LinkDeleter {
  void operator()(bpf_link* link) const;
};
using Skeleton = std::unique_ptr<evictd_bpf, SkeletonDeleter>;
using Link = std::unique_ptr<bpf_link, LinkDeleter>;

/// Result of load_programs(): always the report, the rest unless `error` is set. Links are
/// destroyed before the skeleton; nothing is pinned.
struct LoadOutcome {
  Ladder ladder;
  /// Converts times of the kernel side.
  base::KernelClock clock;
  std::optional<Error> error;
  Skeleton skeleton;
  std::vector<Link> links;
};

/// Goes down the attach table until everything tried loads and attaches. The next row of its
/// purpose replaces a row that fails. The whole object is then loaded again, because a loaded
/// object cannot take another program. Cost: at most one load per row, about 0.1 s each.
[[nodiscard]] LoadOutcome load_programs(const Options& options);

/// Runs one syscall program of a loaded skeleton. Errors: kIo with the program's result as errno.
[[nodiscard]] Result<> run_program(int program_fd);

/// Makes the kernel side find the statistics of all NUMA nodes that have memory now. If one cannot
/// be reached, it reads none. Errors: as run_program().
[[nodiscard]] Result<> locate_nodes(evictd_bpf& skeleton);

}  // namespace evictd::probe
