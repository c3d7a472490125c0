// SPDX-License-Identifier: Apache-2.0
#include "daemon/daemon.h"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <future>
#include <optional>
#include <thread>

#include "base/log.h"
#include "base/system_clock.h"
#include "daemon/descriptor_shares.h"
#include "daemon/disk_watch.h"
#include "daemon/hot_loop.h"
#include "daemon/housekeeping.h"
#include "daemon/instance_lock.h"
#include "daemon/preparations.h"
#include "daemon/realtime.h"
#include "daemon/state_keeper.h"
#include "enforce/cgroup_actuator.h"
#include "enforce/dry_run_actuator.h"
#include "probe/attach_table.h"

namespace evictd::daemon {

namespace {

/// Messages that may wait: more than a full node is told of at once.
constexpr std::size_t kMostToHot = 2 * kMaxPods;
/// A burst of some hundred pods that come or go; with more, discovery scans.
constexpr std::size_t kMostToHousekeeping = kMaxPods;

/// The least that a service gets as a rule.
constexpr std::uint64_t kFewDescriptors = 1024;

/// Both threads share one set of blocked signals, so that only the signalfd sees them.
Result<> block_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
    sigaddset(&set, signal);
  }
  if (const int failure = pthread_sigmask(SIG_BLOCK, &set, nullptr); failure != 0) {
    return fail_errno(failure, "block signals");
  }
  return prepare_realtime_overrun_signal();
}

/// All that the hard limit gives, or what there is.
std::uint64_t raise_descriptors(base::Log& log) {
  const Result<DescriptorLimit> limit = raise_descriptor_limit();
  if (!limit) {
    log.warn(limit.error().message() + ", continuing with few descriptors");
    return kFewDescriptors;
  }
  log.info("descriptor limit",
           {{"before", std::to_string(limit->before)}, {"now", std::to_string(limit->now)}});
  return limit->now;
}

struct KernelSide {
  std::unique_ptr<probe::Probe> probe;
  probe::Ladder ladder;
};

Result<KernelSide> load_kernel_side(const config::Settings& settings, base::Log& log) {
  KernelSide side;
  if (settings.event_source == config::EventSource::kPoll) {
    return side;
  }
  const Result<probe::Options> options = probe_options_of(settings);
  if (!options) {
    return Failure(options.error());
  }
  Result<std::unique_ptr<probe::Probe>> probe = probe::Probe::load(*options);
  if (probe) {
    side.probe = std::move(*probe);
    side.ladder = side.probe->ladder();
    return side;
  }
  if (settings.event_source == config::EventSource::kBpf) {
    return fail_in("eventSource is bpf", probe.error());
  }
  log.warn(probe.error().message() + ", continuing without kernel events: polling");
  side.ladder = probe::Probe::examine(*options);
  return side;
}

void log_degradations(const probe::Ladder& ladder, base::Log& log) {
  for (const probe::PurposeReport& purpose : ladder.purposes) {
    const std::string name(probe::to_string(purpose.purpose));
    if (purpose.disabled) {
      continue;
    }
    if (purpose.chosen().empty()) {
      log.warn("no hook serves " + name + ", continuing without it; evictctl doctor says why");
    } else {
      log.info("hook attached", {{"purpose", name}, {"row", std::string(purpose.chosen())}});
    }
  }
}

/// The hot thread's surroundings, which outlive it.
struct Threads {
  explicit Threads(base::WakeUp to_hot_wake, base::WakeUp to_house_wake)
      : to_hot(kMostToHot, std::move(to_hot_wake)),
        to_house(kMostToHousekeeping, std::move(to_house_wake)) {
    // Memory is locked as it is first touched: else the hot thread would do that page by page while
    // it evicts. Housekeeping is the first to touch what it sends the other way.
    to_house.queue.populate();
  }

  Mailbox<ToHot> to_hot;
  Mailbox<ToHousekeeping> to_house;
  HotCounters counters;
  std::atomic<bool> stop{false};
  std::atomic<bool> realtime{false};
};

Result<std::unique_ptr<Threads>> make_threads() {
  Result<base::WakeUp> to_hot = base::WakeUp::create();
  Result<base::WakeUp> to_house = base::WakeUp::create();
  if (!to_hot || !to_house) {
    return Failure(to_hot ? to_house.error() : to_hot.error());
  }
  return std::make_unique<Threads>(std::move(*to_hot), std::move(*to_house));
}

Result<Readings::Options> open_readings(const sys::Root& root, const PodRegistry& registry,
                                        probe::Probe* probe) {
  Readings::Options readings{
      .probe = probe, .node_files = {}, .pod_root_files = {}, .filesystems = nullptr};
  Result<sys::NodeFiles> node = sys::NodeFiles::open(root, registry.tree().layout());
  if (!node) {
    return Failure(node.error());
  }
  readings.node_files = std::move(*node);
  Result<sys::CgroupFiles> pod_root = registry.open_pod_root_files();
  if (!pod_root) {
    return Failure(pod_root.error());
  }
  readings.pod_root_files = std::move(*pod_root);
  return readings;
}

bool lock_memory_if_wanted(const config::Settings& settings, base::Log& log) {
  if (!settings.lock_memory) {
    return false;
  }
  const Result<> locked = lock_memory();
  if (!locked) {
    log.warn(locked.error().message() +
             ", continuing without locked memory: a node out of memory "
             "may page evictd out");
  }
  return locked.has_value();
}

/// Starts the hot thread, keeps house until asked to stop, and ends the hot thread.
Result<> run_threads(HotLoop& hot, Housekeeping& house, Threads& threads,
                     const config::RealtimeSettings& realtime, base::Log& log) {
  Result<> hot_ended;
  std::promise<Result<>> started;
  std::future<Result<>> priority = started.get_future();
  std::thread thread([&] {
    // Also what is left of its haste where real-time priority is refused, or taken from it.
    static_cast<void>(ask_for_short_slices());
    started.set_value(realtime.enabled ? make_thread_realtime(realtime.priority, realtime.limit)
                                       : Result<>());
    hot_ended = hot.run(threads.stop);
    if (!hot_ended) {
      // Without its hot thread the daemon is of no use: housekeeping ends, and the service with it.
      kill(getpid(), SIGTERM);
    }
  });
  const Result<> got = priority.get();
  threads.realtime.store(realtime.enabled && got.has_value());
  if (!got) {
    log.warn(got.error().message() +
             ", continuing without real-time priority: other load on this "
             "node may delay evictions by milliseconds");
  }
  log.info("started", {{"realtime", threads.realtime.load()}});
  Result<> ended = house.run();
  threads.stop.store(true, std::memory_order_release);
  threads.to_hot.wake_up.signal();
  thread.join();
  return ended ? hot_ended : ended;
}

/// All parts of the daemon, in the order in which they are made; they end in the reverse order.
class Composition {
 public:
  Composition(DaemonOptions options, std::shared_ptr<const config::Config> config)
      : options_(std::move(options)),
        config_(std::move(config)),
        log_(config_->settings().log, clock_, base::detect_log_stream()),
        dry_run_({.clock = &clock_}) {}

  Result<> run() {
    log_warnings(*config_, log_);
    if (!config_->ignored().empty()) {
      log_.info("these settings of the kubelet have no meaning here",
                {{"settings", config::to_string(config_->ignored())}});
    }
    Result<> done = prepare_process();
    for (Result<> (Composition::*const step)() :
         {&Composition::find_pods, &Composition::find_last_state, &Composition::find_disks,
          &Composition::load_kernel_side, &Composition::lock_memory, &Composition::make_hot_loop,
          &Composition::make_housekeeping}) {
      if (!done) {
        return done;
      }
      done = (this->*step)();
    }
    if (!done) {
      return done;
    }
    house_->hand_over_everything();
    return run_threads(*hot_, *house_, *threads_, config_->settings().realtime, log_);
  }

 private:
  Result<> prepare_process() {
    descriptor_limit_ = raise_descriptors(log_);
    if (Result<> prepared = block_signals(); !prepared) {
      return prepared;
    }
    if (Result<> stacks = use_small_thread_stacks(); !stacks) {
      return stacks;
    }
    // Failure shows when the control socket is made there, with its path.
    std::error_code ignored;
    std::filesystem::create_directories(config_->settings().runtime_directory, ignored);
    return {};
  }

  Result<> find_pods() {
    Result<sys::Root> root = sys::Root::open();
    if (!root) {
      return Failure(root.error());
    }
    root_.emplace(std::move(*root));
    Result<std::unique_ptr<PodRegistry>> registry = PodRegistry::create(
        {.root = &*root_, .config = config_, .descriptor_limit = descriptor_limit_});
    if (!registry) {
      return Failure(registry.error());
    }
    registry_ = std::move(*registry);
    const cluster::CgroupTree& tree = registry_->tree();
    Result<InstanceLock> lock =
        InstanceLock::acquire(tree.layout().memory().path_of(tree.pod_root()));
    if (!lock) {
      return Failure(lock.error());
    }
    lock_.emplace(std::move(*lock));
    return {};
  }

  Result<> find_disks() {
    Result<disk::Places> places = find_places(config_->settings());
    if (!places) {
      return Failure(places.error());
    }
    Result<disk::SampleWatch> watch = sample_watch_of(*config_, disk::layout_of(*places));
    if (!watch) {
      return Failure(watch.error());
    }
    Result<std::unique_ptr<disk::Filesystems>> filesystems =
        disk::Filesystems::start({.places = std::move(*places), .watch = std::move(*watch)});
    if (!filesystems) {
      return Failure(filesystems.error());
    }
    filesystems_ = std::move(*filesystems);
    return {};
  }

  Result<> find_last_state() {
    const cluster::CgroupTree& tree = registry_->tree();
    state_.path = config_->settings().state_file_path();
    state_.origin = origin_here(tree.pod_root(), tree.pod_root_id());
    if (!state_.path.empty()) {
      state_.found = find_state(state_.path, state_.origin, clock_.now());
    }
    if (!state_.found.problem.empty()) {
      log_.warn(state_.found.problem + ", continuing without the state of the last run");
    }
    return {};
  }

  /// Timers and conditions go on from where the last run left them.
  Result<> restore(HotConfig& hot) {
    if (!state_.found.found) {
      return {};
    }
    const Result<eviction::ThresholdTable> thresholds =
        thresholds_in_force(*config_, filesystems_->layout());
    if (!thresholds) {
      return Failure(thresholds.error());
    }
    std::vector<std::string> dropped;
    eviction::PassState state = restore_pass(state_.found.state, *thresholds, dropped);
    // With it the manager has the thresholds that are derived for it, which may have timers too.
    state.layout = filesystems_->layout();
    hot.manager.restore(state);
    for (const std::string& threshold : dropped) {
      log_.warn(state_.path + ": " + threshold +
                " is not configured any more, continuing without its timer");
    }
    return {};
  }

  Result<> load_kernel_side() {
    Result<KernelSide> kernel = daemon::load_kernel_side(config_->settings(), log_);
    if (!kernel) {
      return Failure(kernel.error());
    }
    kernel_ = std::move(*kernel);
    log_degradations(kernel_.ladder, log_);
    return kernel_.probe ? registry_->attach(*kernel_.probe) : Result<>();
  }

  /// After the kernel programs are loaded: what that took several MiB of heap for is given back
  /// before, which pages that are locked could not be.
  Result<> lock_memory() {
    memory_locked_ = lock_memory_if_wanted(config_->settings(), log_);
    return {};
  }

  [[nodiscard]] bool events_tell_pods() const {
    return kernel_.probe && daemon::events_tell_pods(config_->settings(), kernel_.ladder);
  }

  Result<> make_hot_loop() {
    Result<std::unique_ptr<Threads>> threads = make_threads();
    if (!threads) {
      return Failure(threads.error());
    }
    threads_ = std::move(*threads);
    Result<std::unique_ptr<enforce::CgroupActuator>> actuator =
        enforce::CgroupActuator::create({.clock = &clock_, .roots = registry_->places().ids()});
    if (!actuator) {
      return Failure(actuator.error());
    }
    actuator_ = std::move(*actuator);
    Result<std::unique_ptr<HotConfig>> hot_config = hot_config_of(*config_);
    if (!hot_config) {
      return Failure(hot_config.error());
    }
    if (Result<> restored = restore(**hot_config); !restored) {
      return restored;
    }
    EvictionTimes eviction_times;
    for (const MonoTime at : state_.found.state.evictions) {
      eviction_times.add(at, /*dry_run=*/false);
    }
    Result<Readings::Options> readings = open_readings(*root_, *registry_, kernel_.probe.get());
    if (!readings) {
      return Failure(readings.error());
    }
    readings->filesystems = filesystems_.get();
    Result<std::unique_ptr<HotLoop>> hot = HotLoop::create(
        {.probe = kernel_.probe.get(),
         .clock = &clock_,
         .inbox = &threads_->to_hot,
         .outbox = &threads_->to_house,
         .actuator = actuator_.get(),
         .dry_run_actuator = &dry_run_,
         .counters = &threads_->counters,
         .readings = std::move(*readings),
         .config = std::move(*hot_config),
         .record_every_pass = options_.recording.has_value(),
         .filesystems = filesystems_.get(),
         .events_tell_pods = events_tell_pods(),
         .eviction_times = eviction_times,
         .may_stand_by = std::thread::hardware_concurrency() > 1 ? &threads_->realtime : nullptr});
    if (!hot) {
      return Failure(hot.error());
    }
    hot_ = std::move(*hot);
    return {};
  }

  Result<> make_housekeeping() {
    Result<std::unique_ptr<Housekeeping>> house =
        Housekeeping::create({.sources = options_.sources,
                              .config = config_,
                              .clock = &clock_,
                              .log = &log_,
                              .root = &*root_,
                              .probe = kernel_.probe.get(),
                              .ladder = &kernel_.ladder,
                              .events_tell_pods = events_tell_pods(),
                              .registry = registry_.get(),
                              .filesystems = filesystems_.get(),
                              .to_hot = &threads_->to_hot,
                              .from_hot = &threads_->to_house,
                              .hot_counters = &threads_->counters,
                              .realtime = &threads_->realtime,
                              .memory_locked = memory_locked_,
                              .descriptor_limit = descriptor_limit_,
                              .state = std::move(state_),
                              .recording = options_.recording});
    if (!house) {
      return Failure(house.error());
    }
    house_ = std::move(*house);
    return {};
  }

  DaemonOptions options_;
  std::shared_ptr<const config::Config> config_;
  base::SystemClock clock_;
  base::Log log_;
  bool memory_locked_ = false;
  std::uint64_t descriptor_limit_ = 0;
  std::optional<sys::Root> root_;
  std::unique_ptr<PodRegistry> registry_;
  std::optional<InstanceLock> lock_;
  std::unique_ptr<disk::Filesystems> filesystems_;
  StateKeeper::Options state_;
  KernelSide kernel_;
  /// Pods are in these and refer to the actuators while they are being evicted, and the other way
  /// round: targets must outlive the actuators.
  std::unique_ptr<Threads> threads_;
  std::unique_ptr<HotLoop> hot_;
  std::unique_ptr<Housekeeping> house_;
  std::unique_ptr<enforce::CgroupActuator> actuator_;
  enforce::DryRunActuator dry_run_;
};

}  // namespace

Result<config::Config> load_config(const config::Sources& sources) {
  config::Vocabulary vocabulary;
  for (const probe::AttachRow& row : probe::attach_table()) {
    vocabulary.attach_rows[std::string(probe::to_string(row.purpose))].emplace_back(row.name);
  }
  return config::load(sources, vocabulary);
}

void log_warnings(const config::Config& config, base::Log& log) {
  for (const config::Warning& warning : config.warnings()) {
    log.warn(warning.text + ", continuing without a change");
  }
}

Result<> run_daemon(const DaemonOptions& options, config::Config config) {
  Composition composition(options, std::make_shared<const config::Config>(std::move(config)));
  return composition.run();
}

}  // namespace evictd::daemon
