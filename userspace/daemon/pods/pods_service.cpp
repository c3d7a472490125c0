// SPDX-License-Identifier: Apache-2.0
#include "daemon/pods/pods_service.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

namespace evictd::daemon {

namespace {

/// If events report pods, a scan only confirms them, and it reads every directory of the tree. With
/// 110 pods evictd at rest took 0.13 % of a core with a scan every 10 s, and half of that with one
/// a minute and a cheaper cross-check.
constexpr int kChecksPerRescan = 6;

}  // namespace

PodsService::PodsService(ServiceContext& context, const Services& services)
    : context_(context),
      services_(services),
      row_keeper_(RowKeeper::Options{
          .probe = context.probe,
          .registry = context.registry,
          .log = context.log,
          .loans = context.loans,
          .send = [this](ToHot&& message) { context_.backlog.send(std::move(message)); },
          .send_updates =
              [this](std::vector<PodUpdate> updates) { send_updates(std::move(updates)); },
          .watch_thresholds = [this] { services_.thresholds.watch_again(); },
          .on_disagreement =
              [this](const std::string& text) {
                services_.records.report_degraded("cross_check", true, text);
              }}),
      container_memory_(*context.root, *context.clock),
      problem_log_(*context.log) {}

void PodsService::rescan() {
  send_updates(context_.registry->rescan());
  log_problems();
}

void PodsService::follow_reports() {
  context_.registry->queue_reports();
  apply_queued();
  log_problems();
}

void PodsService::reload() {
  send_updates(context_.registry->reload(context_.config));
  log_problems();
}

void PodsService::finish_turn() {
  destroy_released_pods();
  follow_pod_root();
}

void PodsService::check() {
  check_containers();
  row_keeper_.find_lost_rows();
}

void PodsService::check_at_interval(MonoTime now) {
  // Events do not report every new pod root, nor every other new directory of pods.
  if (--checks_to_rescan_ <= 0 || context_.registry->tree().pod_root().empty() ||
      context_.registry->places_changed()) {
    rescan();
    checks_to_rescan_ = context_.events_tell_pods ? kChecksPerRescan : 1;
  } else {
    context_.registry->queue_changes();
    apply_queued();
    log_problems();
  }
  row_keeper_.check(now);
}

void PodsService::handle(RetirePod& message) {
  if (!message.replaced) {
    context_.registry->retired(message.slot);
  }
  if (message.pod) {
    services_.records.forget(*message.pod);
    services_.state.follow_retired(*message.pod);
    released_pods_.push_back(std::move(message.pod));
  }
}

void PodsService::scan(const engine::ScanPods& wanted) {
  rescan();
  context_.backlog.send(engine::PodsScanned{.round = wanted.round});
}

void PodsService::handle(const TargetUsed& message) {
  context_.registry->queue_reopening(message.pod->uid);
}

void PodsService::handle(const LossNotice& message) {
  services_.records.report_degraded("lost_notices", true,
                                    fmt::format("{} kernel events lost", message.lost));
  context_.log->warn(
      fmt::format("{} kernel events lost, continuing without them after a rescan", message.lost));
  rescan();
  // The pass of the resync came before the rescan and did not know its results.
  context_.backlog.send(engine::PassRequested{});
}

void PodsService::send_updates(std::vector<PodUpdate> updates) {
  if (std::optional<std::vector<CgroupId>> roots = context_.registry->take_changed_roots()) {
    context_.backlog.send(
        UseRoots{context_.loans->lend(std::make_unique<std::vector<CgroupId>>(std::move(*roots)))});
  }
  for (PodUpdate& update : updates) {
    const std::optional<Adoption> adoption = services_.state.adopt_deferred(update.pod.get());
    context_.backlog.send(
        PlacePod{.slot = update.slot, .pod = std::move(update.pod), .adoption = adoption});
  }
  services_.state.end_deferrals();
  if (!updates.empty()) {
    report_unknown_pods();
  }
  log_shortage();
}

void PodsService::destroy_released_pods() {
  if (released_pods_.empty() || !services_.releaser.idle()) {
    return;
  }
  std::erase_if(released_pods_, [](const std::unique_ptr<HotPod>& pod) {
    return !pod->target || !pod->target->pinned();
  });
}

void PodsService::follow_pod_root() {
  if (!context_.registry->follow_pod_root()) {
    return;
  }
  const cluster::CgroupTree& tree = context_.registry->tree();
  const bool is_there = !tree.pod_root().empty();
  services_.state.keeper().set_pod_root(tree.pod_root(), tree.pod_root_id());
  row_keeper_.follow_pod_root();
  log_problems();
  if (is_there) {
    context_.log->info("the cgroup of all pods is there", {{"pod_root", tree.pod_root()}});
  }
  services_.records.report_degraded("pod_root", !is_there,
                                    is_there ? "" : "the cgroup of all pods is not there");
}

void PodsService::log_shortage() {
  const std::size_t pods = context_.registry->incomplete();
  if (pods != 0 && !short_of_descriptors_) {
    context_.log->warn("too few descriptors for all pods: limit " +
                       std::to_string(context_.descriptor_limit) + ", pods with fewer files kept " +
                       std::to_string(pods) +
                       ", continuing without kept files for them: evicting one takes longer, and "
                       "without kernel events its usage may not be known (see LimitNOFILE)");
  } else if (pods == 0 && short_of_descriptors_) {
    context_.log->info("enough descriptors for all pods again");
  }
  if (short_of_descriptors_ != (pods != 0)) {
    services_.records.report_degraded(
        "descriptors", pods != 0,
        pods != 0 ? "too few descriptors for all pods: " + std::to_string(pods) : "");
  }
  short_of_descriptors_ = pods != 0;
}

void PodsService::report_unknown_pods() {
  if (context_.settings().manifest_directories.empty()) {
    return;  // No source can describe a pod.
  }
  std::set<std::string> unknown;
  for (const PodRegistry::Listed& listed : context_.registry->list()) {
    const cluster::PodEntry& entry = *listed.entry;
    if (entry.state != cluster::PodState::kUnknown) {
      continue;
    }
    if (!reported_unknown_.contains(entry.uid)) {
      services_.records.journal().add("unknown_pod",
                                      {{"uid", entry.uid}, {"cgroup", entry.cgroup->path}});
    }
    unknown.insert(entry.uid);
  }
  reported_unknown_ = std::move(unknown);
}

const HotPod* PodsService::pod_in(std::uint32_t slot) const {
  for (const PodRegistry::Listed& listed : context_.registry->list()) {
    if (listed.hot != nullptr && listed.hot->slot == slot) {
      return listed.hot;
    }
  }
  return nullptr;
}

}  // namespace evictd::daemon
