// SPDX-License-Identifier: Apache-2.0
#include "oom_race/contestant.h"

#include <poll.h>

#include <nlohmann/json.hpp>

#include "cast/cast.h"
#include "cast/racing_daemon.h"
#include "evictd/try.h"

namespace evictd::bench {
namespace {

EvictdMode mode_of(Racer racer) {
  switch (racer) {
    case Racer::kEvictdGrace:
    case Racer::kEvictdKubeletGrace:
      return EvictdMode::kBpfGrace;
    case Racer::kEvictdBridge:
      return EvictdMode::kBpfBridge;
    case Racer::kEvictdPoll:
      return EvictdMode::kPoll;
    case Racer::kEvictd:
    case Racer::kEvictdKubelet:
    case Racer::kEarlyoom:
    case Racer::kNohang:
    case Racer::kOomd:
    case Racer::kSystemdOomd:
      break;
  }
  return EvictdMode::kBpf;
}

}  // namespace

Result<Contestant> Contestant::start(const ContestantOptions& options) {
  if (is_evictd(options.row.racer)) {
    Result<stage::DaemonProcess> daemon =
        start_racing_daemon({mode_of(options.row.racer),
                             options.tree.cgroup_root(),
                             options.programs,
                             options.directory,
                             options.manifests,
                             {{"memory.available", options.row.scene.threshold}},
                             memory_source_of(options.row.racer)});
    if (!daemon) {
      return tl::unexpected(daemon.error());
    }
    return Contestant{std::move(*daemon)};
  }
  EVICTD_ASSIGN_OR_RETURN(Rival rival,
                          Rival::start(options.row.racer, options.tree, options.directory));
  EVICTD_TRY(set_oom_score_adj(rival.pid(), kContestantScore));
  return Contestant{std::move(rival)};
}

bool Contestant::lives() const {
  pollfd dead{daemon_ ? daemon_->pidfd() : rival_->pidfd(), POLLIN, 0};
  return ::poll(&dead, 1, 0) == 0;
}

}  // namespace evictd::bench
