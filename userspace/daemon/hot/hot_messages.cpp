// SPDX-License-Identifier: Apache-2.0
// What housekeeping sends to the hot thread, and what is sent back. A loan that a message replaces
// travels back as the message is destroyed.
#include <algorithm>
#include <utility>
#include <variant>

#include "base/fault_point.h"
#include "daemon/hot/hot_loop.h"

namespace evictd::daemon {

namespace {

engine::Occupancy occupancy_of(cluster::PodState state) {
  switch (state) {
    case cluster::PodState::kActive:
      return engine::Occupancy::kRunning;
    case cluster::PodState::kEmpty:
      return engine::Occupancy::kEmpty;
    case cluster::PodState::kNotYetRead:
    case cluster::PodState::kUnknown:
    case cluster::PodState::kTerminated:
    case cluster::PodState::kNoCgroup:
      return engine::Occupancy::kUnknown;
  }
  return engine::Occupancy::kUnknown;
}

engine::PodView view_of(const HotPod& pod) {
  return {.slot = pod.slot,
          .id = pod.memory_id,
          .occupancy = occupancy_of(pod.state),
          .has_target = pod.target != nullptr,
          .unprotected = pod.protection_now() == enforce::Protection::kNone,
          .below_pod_root = pod.facts.below_pod_root};
}

engine::VictimPhase phase_of(const Adoption& adoption) {
  switch (adoption.kind) {
    case AdoptionKind::kInGrace:
      return adoption.hard ? engine::VictimPhase::kHardGrace : engine::VictimPhase::kSoftGrace;
    case AdoptionKind::kKilled:
    case AdoptionKind::kReleasing:
      return engine::VictimPhase::kKilled;
    case AdoptionKind::kGone:
    case AdoptionKind::kUnreaped:
    case AdoptionKind::kRefused:
    case AdoptionKind::kLeft:
    case AdoptionKind::kOver:
      return engine::VictimPhase::kReleased;
  }
  return engine::VictimPhase::kReleased;
}

}  // namespace

void HotLoop::take_messages() {
  while (std::optional<ToHot> message = options_.inbox->queue.pop()) {
    std::visit([this](auto& one) { handle(one); }, *message);
  }
  flush_retired();
}

void HotLoop::handle(PlacePod& message) {
  HotPod* newer = message.pod.get();
  if (newer != nullptr && newer->target != nullptr) {
    // Both: an eviction outlives a change of dryRun.
    for (enforce::Actuator* one : {options_.actuator, options_.dry_run_actuator}) {
      one->replace(*newer->target);
    }
  }
  if (newer != nullptr) {
    dispatch(engine::PodPlaced{view_of(*newer)});
  } else {
    dispatch(engine::PodRemoved{message.slot});
  }
  if (rehearsed_ != nullptr && rehearsed_->slot == message.slot) {
    end_rehearsal();
  }
  std::unique_ptr<HotPod> old = pods_.place(message.slot, std::move(message.pod));
  if (newer != nullptr && message.adoption) {
    AdoptEviction adopt{.pod = newer->memory_id, .adoption = *message.adoption};
    handle(adopt);
  }
  if (old || newer == nullptr) {
    retired_.push_back({.slot = message.slot, .replaced = newer != nullptr, .pod = std::move(old)});
  }
}

void HotLoop::handle(UseRoots& message) {
  options_.actuator->use_roots(*message.ids);
}

void HotLoop::handle(UsePodRootFiles& message) {
  readings_.swap_pod_root_files(*message.files);
}

void HotLoop::handle(UseConfig& message) {
  if (options_.backstop == nullptr) {
    message.config->backstop_margin.reset();
  }
  dispatch(engine::ConfigurationChanged{message.config.get()});
  std::swap(config_, message.config);
  looks_.use(*config_);
  if (options_.record_every_pass) {
    unrecorded_state_ = config_->manager.state();
    unrecorded_waiting_.reset();
  }
}

void HotLoop::handle(Resync& /*message*/) {
  if (options_.events != nullptr && options_.events->resync()) {
    count(options_.counters->resyncs);
  }
}

void HotLoop::handle(SetPolling& message) {
  looks_.set_polling(message.polling);
  options_.counters->polling.store(message.polling, std::memory_order_relaxed);
  dispatch(engine::SourceChanged{});
}

void HotLoop::handle(SetWishes& message) {
  dispatch(engine::WishesChanged{message.wishes});
  options_.counters->wishes_applied.store(message.generation, std::memory_order_release);
  options_.outbox->wake_up.signal();
}

void HotLoop::handle(AdoptEviction& message) {
  adoption_ = message.adoption;
  dispatch(engine::EvictionFound{.pod = message.pod,
                                 .phase = phase_of(adoption_),
                                 .killed_at = adoption_.killed_at,
                                 .observed_only = adoption_.kind == AdoptionKind::kReleasing,
                                 .holds_disk = adoption_.for_disk,
                                 .hold_tasks = adoption_.hold_tasks,
                                 .usage = usage_of(message.pod, wake_at_)});
  base::fault_point(base::FaultPoint::kAdopted);
}

void HotLoop::handle(LendPassCopy& message) {
  take_lent_buffer(std::move(message.copy));
}

void HotLoop::handle(UseStorage& message) {
  if (message.slot >= storage_.size()) {
    return;
  }
  if (message.storage && message.storage->breaches) {
    dispatch(engine::PassRequested{PassTrigger::kDisk});
  }
  std::swap(storage_[message.slot], message.storage);
}

void HotLoop::handle(EngineNews& news) {
  std::visit([this](const auto& event) { dispatch(event); }, news);
}

void HotLoop::flush_retired() {
  auto unsent = retired_.begin();
  for (; unsent != retired_.end(); ++unsent) {
    ToHousekeeping message(std::move(*unsent));
    if (!options_.outbox->queue.push(std::move(message))) {
      *unsent = std::move(std::get<RetirePod>(message));
      break;
    }
  }
  if (unsent != retired_.begin()) {
    retired_.erase(retired_.begin(), unsent);
    options_.outbox->wake_up.signal();
  }
}

bool HotLoop::offer(ToHousekeeping& message) {
  publish_counters();  // The receiver may count.
  if (!options_.outbox->queue.push(std::move(message))) {
    count(options_.counters->lost_messages);
    ++unsent_;
    return false;
  }
  if (unsent_ != 0 && options_.outbox->queue.push(LossNotice{unsent_})) {
    unsent_ = 0;
  }
  options_.outbox->wake_up.signal();
  return true;
}

}  // namespace evictd::daemon
