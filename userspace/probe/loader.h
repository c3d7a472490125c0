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

/// What load_programs() got: the report always, the rest unless `error` is set. Links go before the
/// skeleton; nothing is pinned.
struct LoadOutcome {
  Ladder ladder;
  /// By which the moments that the kernel side gives are turned.
  base::KernelClock clock;
  std::optional<Error> error;
  Skeleton skeleton;
  std::vector<Link> links;
};

/// Goes down the attach table until everything that is tried loads and attaches: a row that fails
/// is replaced by the next of its purpose and the whole object is loaded again, because a loaded
/// object cannot take another program. At most one load per row of the table, about 0.1 s each.
[[nodiscard]] LoadOutcome load_programs(const Options& options);

/// Runs one syscall program of a loaded skeleton. kIo with the program's own result as errno.
[[nodiscard]] Result<> run_program(int program_fd);

/// Has the kernel side find the statistics of all NUMA nodes that have memory now. Where one cannot
/// be reached it reads none. Errors: as run_program().
[[nodiscard]] Result<> locate_nodes(evictd_bpf& skeleton);

}  // namespace evictd::probe
