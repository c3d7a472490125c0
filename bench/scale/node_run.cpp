// SPDX-License-Identifier: Apache-2.0
#include "scale/node_run.h"

#include <sys/resource.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "base/system_clock.h"
#include "evictd/try.h"
#include "harness/daemon_run.h"
#include "harness/idle_pods.h"
#include "harness/interrupt.h"
#include "harness/milliseconds.h"
#include "harness/private_ground.h"
#include "idle/process_cost.h"
#include "idle/rest.h"
#include "pass/pass_times.h"
#include "scale/discovery.h"

namespace evictd::bench {
namespace {

/// The pod root's limit. Eight thousand idle processes use about a GiB of it.
constexpr Bytes kLimit = 4096_MiB;
/// A threshold that idle pods never meet, and one that is always met.
constexpr Bytes kAtRest = 64_MiB;
constexpr Bytes kAlwaysMet = kLimit;
/// LimitNOFILE of evictd's unit.
constexpr rlim_t kDescriptors = 65536;
/// One part in so many of its limit evictd does not use to keep files of pods.
constexpr rlim_t kPartNotForPods = 8;

/// evictd inherits the limit. Where it cannot be raised, evictd runs with what there is.
void allow_descriptors() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_max < kDescriptors) {
    limit.rlim_max = kDescriptors;
    static_cast<void>(::setrlimit(RLIMIT_NOFILE, &limit));
  }
}

std::size_t descriptors_of(pid_t pid) {
  std::error_code failed;
  const std::filesystem::directory_iterator first("/proc/" + std::to_string(pid) + "/fd", failed);
  return failed ? 0 : static_cast<std::size_t>(std::distance(first, {}));
}

bool keeps_files_of_more_pods(pid_t daemon) {
  rlimit limit{};
  return ::prlimit(daemon, RLIMIT_NOFILE, nullptr, &limit) == 0 &&
         descriptors_of(daemon) < limit.rlim_cur - limit.rlim_cur / kPartNotForPods;
}

class Node {
 public:
  Node(const NodeRunOptions& options, PrivateGround ground, ForkedProcesses pods)
      : options_(options), ground_(std::move(ground)), pods_(std::move(pods)) {}

  Result<NodeRun> run() {
    Result<> done = rest_and_start();
    if (done) {
      done = first_passes();
    }
    if (done) {
      done = passes();
    }
    return done ? Result<NodeRun>(std::move(found_)) : tl::unexpected(done.error());
  }

 private:
  [[nodiscard]] Result<stage::DaemonProcess> start(Bytes threshold, nlohmann::json more) {
    if (!more.contains("stateFile")) {
      more["stateFile"] = (ground_.scratch.path() / "state").string();
    }
    return start_daemon({.tree = ground_.tree,
                         .programs = options_.programs,
                         .directory = ground_.scratch.path(),
                         .threshold = threshold,
                         .more = std::move(more)});
  }

  Result<> rest_and_start() {
    EVICTD_ASSIGN_OR_RETURN(const Duration without, timers_without(options_.seconds));
    for (int i = 0; i < options_.starts; ++i) {
      const base::SystemClock clock;
      const MonoTime before = clock.now();
      EVICTD_ASSIGN_OR_RETURN(stage::DaemonProcess daemon,
                              start(kAtRest, nlohmann::json::object()));
      found_.to_ready.add(milliseconds(clock.now() - before));
      EVICTD_ASSIGN_OR_RETURN(const ProcessCost cost, cost_of(daemon.pid()));
      found_.start_cpu.add(milliseconds(cost.cpu));
      EVICTD_TRY(i == 0 ? look_at_rest(daemon, without) : Interrupt::check());
      EVICTD_TRY(i == 0 ? add_pods(daemon.pid()) : Result<>{});
      if (Result<stage::ChildExit> ended = daemon.stop(); !ended) {
        return tl::unexpected(ended.error());
      }
    }
    return {};
  }

  Result<> look_at_rest(const stage::DaemonProcess& daemon, Duration without) {
    EVICTD_ASSIGN_OR_RETURN(const Spent spent, spend(options_.seconds, daemon.pid(), without));
    const int seconds = options_.seconds;
    // Timers that took less time than without evictd are noise.
    const Duration sweep = std::max(spent.timers, Duration{0}) + spent.programs;
    found_.sweep_cpu.add(percent_of_core(sweep, seconds));
    found_.process_cpu.add(percent_of_core(spent.process, seconds));
    found_.resident.add(static_cast<double>(spent.resident.value) / (1 << 20));
    found_.descriptors.add(static_cast<double>(descriptors_of(daemon.pid())));
    return {};
  }

  Result<> add_pods(pid_t daemon) {
    if (!keeps_files_of_more_pods(daemon)) {
      return {};
    }
    for (int i = 0; i < options_.added; ++i) {
      EVICTD_ASSIGN_OR_RETURN(const Duration taken, discover_pod(ground_.tree, daemon));
      found_.discovery.add(milliseconds(taken));
    }
    return {};
  }

  /// Each start evicts one pod, and no second one within its first minute.
  Result<> first_passes() {
    for (int i = 0; i < options_.starts; ++i) {
      pods_.reap();
      EVICTD_ASSIGN_OR_RETURN(
          stage::DaemonProcess daemon,
          start(kAlwaysMet, {{"maxEvictionsPerMinute", 1}, {"stateFile", "none"}}));
      PassTimes times;
      EVICTD_TRY(follow_passes(daemon, pods_, 1, times));
      found_.first_pass.add(times.whole.values().front());
      if (Result<stage::ChildExit> ended = daemon.stop(); !ended) {
        return tl::unexpected(ended.error());
      }
    }
    return {};
  }

  Result<> passes() {
    EVICTD_ASSIGN_OR_RETURN(const stage::DaemonProcess daemon,
                            start(kAlwaysMet, nlohmann::json::object()));
    PassTimes times;
    // Each pass removes a pod: the node must keep about its number of pods.
    const auto wanted = static_cast<std::size_t>(
        std::max(1, std::min(options_.passes, options_.pods / kPodsAPass)));
    EVICTD_TRY(follow_passes(daemon, pods_, wanted + 1, times));
    for (std::size_t i = 0; i < times.whole.size(); ++i) {
      (i == 0 ? found_.first_pass : found_.pass).add(times.whole.values()[i]);
    }
    return {};
  }

  static constexpr int kPodsAPass = 10;

  const NodeRunOptions& options_;
  PrivateGround ground_;
  ForkedProcesses pods_;
  NodeRun found_;
};

}  // namespace

Result<NodeRun> run_node(const NodeRunOptions& options) {
  EVICTD_ASSIGN_OR_RETURN(PrivateGround own, PrivateGround::create());
  EVICTD_TRY(own.tree.limit_memory(kLimit));
  allow_descriptors();
  EVICTD_ASSIGN_OR_RETURN(ForkedProcesses pods,
                          start_idle_pods(own.tree, options.pods, options.containers));
  EVICTD_TRY(Interrupt::check());
  return Node(options, std::move(own), std::move(pods)).run();
}

}  // namespace evictd::bench
