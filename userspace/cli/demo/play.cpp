// SPDX-License-Identifier: Apache-2.0
#include "demo/play.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <utility>

#include "demo/crossing.h"
#include "demo/daemon_config.h"
#include "demo/hog_rate.h"
#include "demo/leftovers.h"
#include "evictd/try.h"
#include "stage/text_file.h"

namespace evictd::demo {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// For steps that take a fraction of a second on an idle machine.
constexpr seconds kHoldPatience{30};
/// Four pages, 7 us at full speed. evictd kills before a long batch ends, and an unfinished batch
/// shows no crossing.
constexpr std::int64_t kBatchBytes = 16 * 1024;
/// More than the pod root's pids.max ever allows.
constexpr std::int64_t kEndlessForks = 1'000'000;

std::filesystem::path own_directory() {
  std::error_code ignored;
  return std::filesystem::canonical("/proc/self/exe", ignored).parent_path();
}

std::vector<std::string> recording_arguments(const DemoOptions& options) {
  if (options.record.empty()) {
    return {};
  }
  return {"--record", std::filesystem::absolute(options.record).string()};
}

}  // namespace

std::filesystem::path program_of(const DemoOptions& options, std::string_view name) {
  if (!options.programs.empty()) {
    return options.programs / name;
  }
  const std::filesystem::path beside = own_directory() / name;
  std::error_code ignored;
  const std::filesystem::path installed = own_directory().parent_path() / "sbin" / name;
  return !std::filesystem::exists(beside, ignored) && std::filesystem::exists(installed, ignored)
             ? installed
             : beside;
}

Play::Play(const DemoOptions& options, Narrator say, int signals)
    : options_(options),
      say_(std::move(say)),
      signals_(signals),
      script_(script_of(options.scenario)) {}

void Play::stop_daemon() {
  if (!daemon_) {
    return;
  }
  const Result<stage::ChildExit> end = daemon_->stop();
  if (!end || end->killed_by(SIGKILL)) {
    say_("evictd did not exit by itself: the end of its recording may be missing");
  }
}

void Play::keep() {
  if (scratch_) {
    say_("kept: the files in " + scratch_->path().string());
    scratch_->keep();
  }
  if (tree_) {
    say_("kept: the cgroups " + tree_->cgroup_root());
    static_cast<void>(tree_->kill_all());
    tree_->keep();
  }
}

void Play::print_record_files() const {
  if (!daemon_) {
    return;
  }
  if (!options_.record.empty()) {
    say_("recorded: evictctl replay " + std::filesystem::absolute(options_.record).string());
  }
  const std::filesystem::path records = record_file_of(options_, scratch_->path());
  if (!records.empty()) {
    say_("records: evictctl explain --file " + records.string());
  }
}

std::int64_t Play::grace_seconds() const {
  return grace_seconds_of(options_);
}

bool Play::signalled_within(Duration time) const {
  pollfd signal{signals_, POLLIN, 0};
  const auto timeout = std::chrono::ceil<milliseconds>(time).count();
  return ::poll(&signal, 1, static_cast<int>(timeout)) > 0;
}

Result<> Play::set_up() {
  if (::geteuid() != 0) {
    return fail(Errc::kPermission, "creating cgroups and loading BPF programs need root");
  }
  EVICTD_ASSIGN_OR_RETURN(const Sizes sizes, memory_available().and_then(sizes_for));
  sizes_ = sizes;
  const std::string name = kNamePrefix + std::to_string(::getpid());
  EVICTD_ASSIGN_OR_RETURN(scratch_, stage::ScratchDirectory::create(name + "-"));
  std::filesystem::create_directory(scratch_->path() / "pods");
  // Before any thread starts: mounts then end with this process, however it ends.
  Result<> mounted = on_disk() || tmpfs() ? stage::own_mount_namespace() : Result<>();
  if (mounted && on_disk()) {
    mounted = make_disk();
  }
  if (!mounted) {
    return mounted;
  }
  EVICTD_ASSIGN_OR_RETURN(tree_, stage::PrivateTree::create(name));
  say_("private cgroup tree " + tree_->cgroup_root() +
       (tree_->hierarchies().unified() ? " (cgroup v2)" : " (cgroup v1)"));
  for (const auto step : {&Play::measure_unmanaged_rate, &Play::start_bystanders, &Play::set_limit,
                          &Play::start_daemon}) {
    EVICTD_TRY((this->*step)());
  }
  return {};
}

stage::LoadOptions Play::hog_load() const {
  if (on_disk()) {
    return disk_hog_load();
  }
  stage::LoadOptions load;
  load.binary = program_of(options_, "evict-load");
  load.directory = scratch_->path();
  load.ignore_sigterm = true;
  load.kind = pids()    ? load::LoadKind::kForks
              : tmpfs() ? load::LoadKind::kFileBytes
                        : load::LoadKind::kMemory;
  load.batch = pids() ? 1 : kBatchBytes;
  load.usage_file = pids() ? tree_->pids_directory() / "pids.current"
                           : tree_->memory_directory() / tree_->hierarchies().usage_file();
  // Only this limit ends a fork bomb of evict-load, and files have a cap: more than exist.
  load.cap = pids() ? kEndlessForks : tmpfs() ? 2 * (sizes_.run_up + sizes_.headroom).value : 0;
  // Polling and a soft grace period are far slower than the hog, so it stops half-way to the limit.
  if (options_.event_source == EventSource::kPoll || options_.scenario == Scenario::kSoft) {
    load.cap = pids() ? sizes_.tasks_run_up + sizes_.tasks_headroom / 2
                      : (sizes_.run_up + Bytes{sizes_.headroom.value / 2}).value;
  }
  return load;
}

Result<Play::Actor> Play::start_actor(const stage::PodSpec& spec, const stage::LoadOptions& load) {
  EVICTD_ASSIGN_OR_RETURN(stage::StagedPod pod, tree_->add_pod(spec));
  stage::LoadOptions own = load;
  if (spec.empty_dir) {
    EVICTD_ASSIGN_OR_RETURN(own.fill_directory, make_volume(pod));
  }
  EVICTD_ASSIGN_OR_RETURN(stage::LoadProcess process, stage::LoadProcess::start(*tree_, pod, own));
  return Actor{std::move(pod), std::move(process)};
}

Result<> Play::measure_unmanaged_rate() {
  if (on_disk()) {
    return measure_disk_rate();
  }
  stage::LoadOptions load = hog_load();
  load.cap = pids() ? sizes_.tasks_run_up : sizes_.run_up.value;
  EVICTD_ASSIGN_OR_RETURN(const double possible, rehearse(load));
  unmanaged_rate_ = possible;
  return {};
}

Result<double> Play::rehearse(const stage::LoadOptions& load) {
  Result<Actor> rehearsal =
      start_actor({.name = "rehearsal", .empty_dir = on_disk() || tmpfs()}, load);
  if (!rehearsal) {
    return tl::unexpected(rehearsal.error());
  }
  rehearsal->load.go();
  EVICTD_TRY(rehearsal->load.await_holding(kHoldPatience));
  const double rate = typical_rate(batches_of(rehearsal->load.stamps()));
  const stage::StagedPod pod = rehearsal->pod;
  rehearsal = fail(Errc::kNotFound, "over");
  Result<> gone = tree_->kill_all();
  volume_.reset();
  if (gone && on_disk()) {
    gone = remove_files(pod);
  }
  if (gone) {
    gone = tree_->remove_pod(pod);
  }
  EVICTD_TRY(std::move(gone));
  return rate;
}

Result<> Play::write_manifest(const stage::StagedPod& pod) const {
  return stage::replace_file(scratch_->path() / "pods" / (pod.spec.name + ".json"),
                             stage::manifest(pod.spec, pod.uid));
}

Result<> Play::start_bystanders() {
  for (const Bystander& bystander : script_.bystanders) {
    EVICTD_ASSIGN_OR_RETURN(Actor actor, start_actor(bystander.spec, bystander_load(bystander)));
    actor.load.go();
    const Result<> held = actor.load.await_holding(kHoldPatience);
    const Result<> written = write_manifest(actor.pod);
    if (!held || !written) {
      return held ? written : held;
    }
    bystanders_.push_back(std::move(actor));
  }
  EVICTD_ASSIGN_OR_RETURN(hog_, start_actor(script_.hog, hog_load()));
  return write_manifest(hog_->pod);
}

Result<> Play::set_limit() {
  if (on_disk()) {
    return {};  // The filesystem is the limit.
  }
  if (pids()) {
    EVICTD_ASSIGN_OR_RETURN(const std::int64_t tasks, tree_->tasks());
    threshold_ = tasks + sizes_.tasks_run_up;
    reach_ = 1;  // A batch is a fork.
    return tree_->limit_tasks(threshold_ + sizes_.tasks_headroom);
  }
  EVICTD_ASSIGN_OR_RETURN(const Bytes usage, tree_->usage());
  EVICTD_ASSIGN_OR_RETURN(const Bytes inactive, tree_->inactive_file());
  // The signal counts usage without inactive file cache; the witness reads usage.
  threshold_ = (usage + sizes_.run_up).value;
  // Cache that is inactive now and becomes active later counts from then on, so less usage crosses.
  reach_ = kBatchBytes + (charged_ahead() + inactive).value;
  return tree_->limit_memory(Bytes{threshold_} + sizes_.headroom - inactive);
}

Result<> Play::start_daemon() {
  const std::filesystem::path config = scratch_->path() / "evictd.yaml";
  const std::filesystem::path disk = disk_ ? disk_->path() : std::filesystem::path{};
  const std::string text = daemon_config({options_, sizes_, *tree_, scratch_->path(), disk});
  EVICTD_TRY(stage::replace_file(config, text));
  EVICTD_ASSIGN_OR_RETURN(
      daemon_, stage::DaemonProcess::start({.binary = program_of(options_, "evictd"),
                                            .config = config,
                                            .directory = scratch_->path(),
                                            .launcher = {},
                                            .environment = {},
                                            .arguments = recording_arguments(options_)}));
  say_("evictd is ready, process " + std::to_string(daemon_->pid()));
  return {};
}

}  // namespace evictd::demo
