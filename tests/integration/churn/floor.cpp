// SPDX-License-Identifier: Apache-2.0
#include "floor.h"

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/system_clock.h"
#include "evictd/try.h"
#include "harness/interrupt.h"
#include "load_sizes.h"
#include "relocation.h"
#include "stage/text_file.h"

namespace evictd::churn {
namespace {

using bench::Interrupt;
using std::chrono::milliseconds;

constexpr std::size_t kLogTail = 4000;
/// How often records are read, at least: long before evictd rotates its file twice.
constexpr milliseconds kLongestWait{200};
/// A pod that has not got its load by then will not get it; between two looks.
constexpr std::chrono::seconds kLoadDeadline{30};
constexpr milliseconds kLoadLook{20};

MonoTime now() {
  return base::SystemClock{}.now();
}

bool is_dead(int pidfd) {
  pollfd dead{pidfd, POLLIN, 0};
  return ::poll(&dead, 1, 0) > 0;
}

/// 0 if the pod has no cgroup.
std::uint64_t memory_id_of(const stage::PrivateTree& tree, const stage::StagedPod& pod) {
  struct stat status {};
  const std::filesystem::path cgroup = tree.hierarchies().memory / pod.pod;
  return ::stat(cgroup.c_str(), &status) == 0 ? status.st_ino : 0;
}

/// Thresholds that are crossed all the time, soft ones with a grace among them, and no brake.
std::string config_of(const stage::PrivateTree& tree, const std::filesystem::path& directory,
                      EventSource source, const Limits& limits) {
  const nlohmann::json config = {
      {"cgroupRoot", tree.cgroup_root()},
      {"manifestDirectories", {(directory / "pods").string()}},
      {"runtimeDirectory", directory.string()},
      {"recordFile", (directory / "records.jsonl").string()},
      {"eventSource", source == EventSource::kBpf ? "bpf" : "poll"},
      // With events that of the cross-check.
      {"pollInterval", source == EventSource::kBpf ? "1s" : "50ms"},
      {"evictionHard",
       {{"allocatableMemory.available", std::to_string(limits.hard_memory.value)},
        {"pid.available", std::to_string(limits.hard_tasks)}}},
      {"pidAvailableSource", "podRoot"},
      {"hardEvictionGracePeriodSeconds", 0},
      // Else the machine would decide which side kills.
      {"inKernelBrake", "off"},
      {"evictionSoft", {{"allocatableMemory.available", std::to_string(limits.soft_memory.value)}}},
      {"evictionSoftGracePeriod", {{"allocatableMemory.available", "300ms"}}},
      {"evictionMaxPodGracePeriod", 1},
      {"evictionPressureTransitionPeriod", "1s"},
      {"maxEvictionsPerMinute", 0}};
  return config.dump(2) + "\n";
}

}  // namespace

Floor::Floor(FloorOptions options, stage::ScratchDirectory scratch, stage::PrivateTree tree,
             bench::KillWitness witness)
    : options_(std::move(options)),
      scratch_(std::move(scratch)),
      tail_(scratch_.path() / "records.jsonl"),
      tree_(std::move(tree)),
      witness_(std::move(witness)) {}

Result<Floor> Floor::open(const FloorOptions& options) {
  EVICTD_ASSIGN_OR_RETURN(stage::ScratchDirectory scratch,
                          stage::ScratchDirectory::create("evictd-churn-"));
  EVICTD_ASSIGN_OR_RETURN(stage::PrivateTree tree,
                          stage::PrivateTree::create("evictd-churn-" + std::to_string(::getpid())));
  EVICTD_ASSIGN_OR_RETURN(bench::KillWitness witness, bench::KillWitness::create());
  Floor floor{options, std::move(scratch), std::move(tree), std::move(witness)};
  std::error_code error;
  if (!std::filesystem::create_directory(floor.scratch_.path() / "pods", error)) {
    return fail_errno(error.value(), "make a directory of manifests");
  }
  Result<> done = floor.set_limits();
  if (done) {
    done = floor.start_daemon();
  }
  if (done) {
    done = floor.add_residents();
  }
  if (!done) {
    return tl::unexpected(done.error());
  }
  return floor;
}

Result<> Floor::set_limits() {
  EVICTD_ASSIGN_OR_RETURN(sizes_,
                          EVICTD_IN("measure what a load takes",
                                    measure_load(tree_, options_.evict_load, scratch_.path())));
  limits_ = limits_for(sizes_);
  Result<> limited = tree_.limit_memory(limits_.memory);
  return limited ? tree_.limit_tasks(limits_.tasks) : limited;
}

Result<> Floor::start_daemon() {
  const std::filesystem::path file = scratch_.path() / "evictd.yaml";
  EVICTD_TRY(
      stage::replace_file(file, config_of(tree_, scratch_.path(), options_.source, limits_)));
  EVICTD_ASSIGN_OR_RETURN(
      stage::DaemonProcess daemon,
      stage::DaemonProcess::start(
          {.binary = options_.evictd, .config = file, .directory = scratch_.path()}));
  daemon_.emplace(std::move(daemon));
  return {};
}

Result<> Floor::add_residents() {
  for (const PodPlan& plan : residents()) {
    EVICTD_TRY(begin(plan));
    residents_.splice(residents_.end(), pods_);
  }
  return {};
}

bool Floor::has_room_for(const PodPlan& plan) const {
  Bytes memory = plan.most_memory(sizes_) + limits_.resident_memory;
  std::int64_t tasks = plan.most_tasks(sizes_) + limits_.resident_tasks;
  for (const LivePod& pod : pods_) {
    memory += pod.plan.most_memory(sizes_);
    tasks += pod.plan.most_tasks(sizes_);
  }
  return memory <= limits_.memory && tasks <= limits_.tasks;
}

std::vector<std::string> Floor::command_of(const LivePod& pod) const {
  std::vector<std::string> line{options_.evict_load};
  switch (pod.plan.work) {
    case Work::kMemory:
      line.emplace_back("memory");
      break;
    case Work::kForks:
      line.emplace_back("forks");
      break;
    case Work::kSleep:
    case Work::kNone:
      line.emplace_back("sleep");
      break;
  }
  if (pod.plan.cap > 0) {
    line.insert(line.end(), {"--cap", std::to_string(pod.plan.cap)});
  }
  if (pod.plan.rate > 0) {
    line.insert(line.end(), {"--rate", std::to_string(pod.plan.rate)});
  }
  if (pod.plan.ignore_sigterm) {
    line.emplace_back("--ignore-term");
  }
  for (const std::filesystem::path& cgroup : tree_.directories_of(pod.staged)) {
    line.insert(line.end(), {"--cgroup", cgroup});
  }
  return line;
}

std::filesystem::path Floor::manifest_of(const LivePod& pod) const {
  return scratch_.path() / "pods" / (pod.plan.spec.name + ".json");
}

Result<> Floor::begin(const PodPlan& plan) {
  const std::string uid = stage::random_uid();
  ledger_.born(uid, plan.spec.name, plan.is_protected() ? Standing::kProtected : Standing::kMayGo);
  return start(plan, uid);
}

Result<> Floor::begin_again(const LivePod& ended) {
  PodPlan plan = ended.plan;
  plan.comes_back = false;
  plan.moves_after.reset();
  ledger_.came_back(ended.staged.uid);
  return start(plan, ended.staged.uid);
}

Result<> Floor::make(LivePod& pod, const std::string& uid) {
  const stage::PodSpec& spec = pod.plan.spec;
  if (pod.plan.has_manifest) {
    EVICTD_TRY(stage::replace_file(manifest_of(pod), stage::manifest(spec, uid)));
  }
  EVICTD_ASSIGN_OR_RETURN(pod.staged, tree_.add_pod(spec, uid));
  pod.id = memory_id_of(tree_, pod.staged);
  return {};
}

Result<> Floor::start(const PodPlan& plan, const std::string& uid) {
  LivePod pod;
  pod.plan = plan;
  EVICTD_TRY(make(pod, uid));
  if (plan.work != Work::kNone) {
    EVICTD_ASSIGN_OR_RETURN(stage::Child child,
                            stage::Child::start({.argv = command_of(pod),
                                                 .output = scratch_.path() / "evict-load.log"}));
    pod.process.emplace(std::move(child));
  }
  pod.began_at = now();
  pod.ends_at = pod.began_at + plan.life;
  if (plan.moves_after) {
    pod.moves_at = pod.began_at + *plan.moves_after;
  }
  pods_.push_back(std::move(pod));
  return {};
}

void Floor::wait(MonoTime until) const {
  std::vector<pollfd> watched{{daemon_->pidfd(), POLLIN, 0}};
  for (const auto* list : {&residents_, &pods_}) {
    for (const LivePod& pod : *list) {
      if (pod.process) {
        watched.push_back({pod.process->pidfd(), POLLIN, 0});
      }
    }
  }
  const Duration left = std::clamp<Duration>(until - now(), Duration{0}, kLongestWait);
  ::poll(watched.data(), watched.size(),
         static_cast<int>(std::chrono::ceil<milliseconds>(left).count()));
}

Result<> Floor::remove(LivePod& pod) {
  if (pod.ending || pod.has_moved) {
    // Its children outlive it. Of one that was evicted nothing may be left, but children that moved
    // while it was signalled.
    EVICTD_TRY(tree_.kill_pod(pod.staged));
  }
  EVICTD_TRY(leave(pod.staged, pod.id,
                   pod.plan.spec.name + (pod.ending ? "" : ", whose process is dead")));
  if (!pod.comes_back()) {
    std::error_code ignored;
    std::filesystem::remove(manifest_of(pod), ignored);
  }
  return {};
}

Result<> Floor::leave(const stage::StagedPod& staged, std::uint64_t id, const std::string& who) {
  EVICTD_TRY(EVICTD_IN(who, tree_.remove_pod(staged)));
  ask_witness(staged.uid, id);
  witness_.forget(id);
  return {};
}

void Floor::ask_witness(const std::string& uid, std::uint64_t id) {
  if (const std::optional<bench::KillsSeen> seen = witness_.kills_of(id); seen) {
    ledger_.was_signalled(uid, "signal " + std::to_string(seen->signal) + " by process " +
                                   std::to_string(seen->sender) + " (" + seen->program + ")");
  }
}

Result<> Floor::move_if_due(LivePod& pod, MonoTime now) {
  if (pod.ending || pod.moves_at > now) {
    return {};
  }
  if (!has_entered(tree_, pod.staged, pod.process->pid())) {
    pod.moves_at = now + kLoadLook;
    return {};
  }
  pod.moves_at = MonoTime::max();
  return move(pod);
}

Result<> Floor::move(LivePod& pod) {
  const stage::StagedPod from = pod.staged;
  const std::uint64_t from_id = pod.id;
  const std::filesystem::path old_manifest = manifest_of(pod);
  pod.plan.spec.name += "-moved";
  // What it took by now stays charged to where it was.
  pod.plan.ends_laden = false;
  pod.has_moved = true;
  const std::string uid = stage::random_uid();
  ledger_.moved(from.uid, uid, pod.plan.spec.name);
  EVICTD_TRY(make(pod, uid));
  move_processes(tree_, from, pod.staged);
  EVICTD_TRY(leave(from, from_id, from.spec.name + ", whose processes moved"));
  std::error_code ignored;
  std::filesystem::remove(old_manifest, ignored);
  return {};
}

bool Floor::has_its_load(const LivePod& pod, MonoTime now) const {
  const bool loads = pod.plan.work == Work::kMemory || pod.plan.work == Work::kForks;
  if (!loads || !pod.plan.ends_laden || now > pod.began_at + kLoadDeadline) {
    return true;
  }
  const stage::Hierarchies& at = tree_.hierarchies();
  const std::filesystem::path file = pod.plan.work == Work::kMemory
                                         ? at.memory / pod.staged.pod / at.usage_file()
                                         : at.pids / pod.staged.pod / "pids.current";
  const Result<std::string> text = stage::read_text(file);
  const Result<std::int64_t> held =
      text ? stage::parse_number(*text) : tl::unexpected(text.error());
  return held && *held >= pod.plan.cap;
}

void Floor::end_if_due(LivePod& pod, MonoTime now) {
  if (pod.ending || pod.ends_at > now) {
    return;
  }
  if (!has_its_load(pod, now)) {
    pod.ends_at = now + kLoadLook;
    return;
  }
  pod.ending = true;
  ledger_.ending(pod.staged.uid);
  if (pod.process) {
    pod.process->signal(pod.plan.last_signal);
  }
}

Result<> Floor::look_after_pods(MonoTime now) {
  for (auto pod = pods_.begin(); pod != pods_.end();) {
    const bool dead = pod->process && is_dead(pod->process->pidfd());
    if (!dead) {
      EVICTD_TRY(move_if_due(*pod, now));
      end_if_due(*pod, now);
    }
    if (!dead && (pod->process || !pod->ending)) {
      ++pod;
      continue;
    }
    if (dead) {
      EVICTD_ASSIGN_OR_RETURN(const stage::ChildExit end, pod->process->wait(Duration{0}));
      ledger_.died(pod->staged.uid, end);
    }
    EVICTD_TRY(remove(*pod));
    if (pod->comes_back()) {
      EVICTD_TRY(begin_again(*pod));
    }
    pod = pods_.erase(pod);
  }
  for (LivePod& resident : residents_) {
    if (const Result<stage::ChildExit> end = resident.process->wait(Duration{0}); end) {
      ledger_.died(resident.staged.uid, *end);
    }
  }
  return {};
}

MonoTime Floor::next_due() const {
  MonoTime next = MonoTime::max();
  for (const LivePod& pod : pods_) {
    next = pod.ending ? next : std::min({next, pod.moves_at, pod.ends_at});
  }
  return next;
}

Result<> Floor::play(const std::vector<PodPlan>& plans) {
  auto plan = plans.begin();
  MonoTime due = now();
  while ((plan != plans.end() || !pods_.empty()) && !Interrupt::requested()) {
    if (is_dead(daemon_->pidfd())) {
      return fail(Errc::kIo, "evictd has ended");
    }
    EVICTD_TRY(look_after_pods(now()));
    EVICTD_TRY(read_records());
    if (plan != plans.end() && due <= now() && has_room_for(*plan)) {
      EVICTD_TRY(begin(*plan));
      ++plan;
      due = plan != plans.end() ? now() + plan->pause : due;
      continue;
    }
    // Without room it is a pod's end that is waited for.
    const bool room = plan != plans.end() && has_room_for(*plan);
    wait(room ? std::min(due, next_due()) : next_due());
  }
  return {};
}

Result<> Floor::read_records() {
  for (const auto* list : {&residents_, &pods_}) {
    for (const LivePod& pod : *list) {
      ask_witness(pod.staged.uid, pod.id);
    }
  }
  return tail_.read([this](std::string_view line) { ledger_.take_line(line); });
}

Result<> Floor::stop_daemon() {
  EVICTD_ASSIGN_OR_RETURN(const stage::ChildExit end, daemon_->stop());
  if (end.status != 0) {
    return fail(Errc::kIo, "evictd ended with " + end.text());
  }
  return {};
}

std::vector<stage::StagedPod> Floor::pods() const {
  std::vector<stage::StagedPod> found;
  for (const auto* list : {&residents_, &pods_}) {
    for (const LivePod& pod : *list) {
      found.push_back(pod.staged);
    }
  }
  return found;
}

std::string Floor::end_of_log() const {
  std::string text = stage::read_text(scratch_.path() / "evictd.log").value_or(std::string{});
  return text.size() > kLogTail ? text.substr(text.size() - kLogTail) : text;
}

}  // namespace evictd::churn
