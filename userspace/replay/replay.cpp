// SPDX-License-Identifier: Apache-2.0
#include "replay/replay.h"

#include <utility>

#include "config/config.h"
#include "config/pass_settings.h"
#include "evictd/try.h"
#include "replay/pass_json.h"

namespace evictd::replay {

namespace {

/// The first member that differs; nothing for equal objects.
std::optional<std::string> first_difference(const Json& a, const Json& b) {
  if (a.dump() == b.dump()) {
    return std::nullopt;
  }
  for (const auto& [name, value] : a.items()) {
    const auto other = b.find(name);
    if (other == b.end() || other->dump() != value.dump()) {
      return name;
    }
  }
  return "";
}

std::string text_of(const Json& object, const std::string& member) {
  if (member.empty()) {
    return object.dump();
  }
  const auto found = object.find(member);
  return found == object.end() ? "nothing" : found->dump();
}

/// Goes through a recording with one manager.
class Verifier {
 public:
  /// Judged at once: there may be no pass with it.
  Result<> take(const RecordedConfig& config) {
    config_ = &config;
    const Result<eviction::EvictionManager> manager = manager_of(config);
    return manager ? Result<>() : Failure(manager.error());
  }
  Result<> take(const RecordedPod& pod) {
    if (pods_.size() <= pod.number) {
      pods_.resize(pod.number + 1);
    }
    pods_[pod.number] = &pod;
    return {};
  }
  Result<> take(const RecordedEvent& /*event*/) { return {}; }
  Result<> take(const RecordingEnd& /*end*/) { return {}; }
  Result<> take(const RecordedPass& pass) {
    EVICTD_TRY(begin(pass));
    ++result.passes;
    const eviction::PassInput input = inputs_.of(pass);
    const eviction::Decision& decision =
        pass.resumed ? manager_->resume(pass.now, input) : manager_->synchronize(pass.now, input);
    if (decision.outcome == eviction::Outcome::kEvicted ||
        decision.outcome == eviction::Outcome::kOomGuard) {
      ++result.evictions;
    }
    compare(pass, "decision", pass.decision, to_json(decision));
    compare(pass, "state", pass.state, to_json(manager_->state()));
    return {};
  }

  Verification result;

 private:
  Result<> begin(const RecordedPass& pass) {
    if (pass.missed != 0) {
      ++result.gaps;
      result.missed += pass.missed;
    }
    if (!pass.before) {
      return manager_
                 ? Result<>()
                 : Result<>(fail(Errc::kMalformed, "the first pass lacks the state before it"));
    }
    if (config_ == nullptr) {
      return fail(Errc::kMalformed, "a pass before any configuration");
    }
    EVICTD_ASSIGN_OR_RETURN(eviction::EvictionManager manager, manager_of(*config_));
    manager_.emplace(std::move(manager));
    manager_->restore(*pass.before, pass.waiting_before);
    return {};
  }

  void compare(const RecordedPass& pass, const std::string& what, const Json& recorded,
               const Json& replayed) {
    const std::optional<std::string> member = first_difference(recorded, replayed);
    if (!member || result.difference) {
      return;
    }
    result.difference = Difference{.pass = result.passes,
                                   .at = pass.now,
                                   .what = member->empty() ? what : what + "." + *member,
                                   .recorded = text_of(recorded, *member),
                                   .replayed = text_of(replayed, *member)};
  }

  const RecordedConfig* config_ = nullptr;
  std::vector<const RecordedPod*> pods_;
  PassInputs inputs_{pods_};
  std::optional<eviction::EvictionManager> manager_;
};

}  // namespace

eviction::PassInput PassInputs::of(const RecordedPass& pass) {
  made_.clear();
  for (const RecordedPodPass& pod : pass.pods) {
    const RecordedPod& facts = *(*pods_)[pod.number];
    made_.push_back({.facts = &facts.facts,
                     .reading = pod.reading,
                     .disk_count = pod.disk_count,
                     .standing = pod.standing,
                     .grown = pod.grown,
                     .pod = facts.spec ? &*facts.spec : nullptr,
                     .statistics = pod.statistics ? &*pod.statistics : nullptr});
  }
  if (pass.brakes) {
    brakes_ = pass.brakes->brakes;
    brakes_.recent = pass.brakes->recent;
  }
  return {.observations = pass.observations ? &*pass.observations : nullptr,
          .pods = made_,
          .layout = pass.layout,
          .releasing = pass.releasing,
          .disk_usage_pending = pass.disk_usage_pending,
          .disk_progress = pass.disk_progress,
          .cadence = pass.cadence,
          .brakes = pass.brakes ? &brakes_ : nullptr};
}

Result<eviction::EvictionManager> manager_of(const RecordedConfig& config) {
  EVICTD_ASSIGN_OR_RETURN(const config::Config parsed,
                          config::parse(config.yaml, "the recorded configuration"));
  return eviction::EvictionManager::create(config::pass_settings_of(parsed));
}

Result<Verification> verify(const Recording& recording) {
  Verifier verifier;
  for (const RecordedItem& item : recording.items) {
    EVICTD_TRY(std::visit([&](const auto& one) { return verifier.take(one); }, item));
    if (verifier.result.difference) {
      break;
    }
  }
  return verifier.result;
}

}  // namespace evictd::replay
