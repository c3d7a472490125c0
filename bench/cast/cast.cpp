// SPDX-License-Identifier: Apache-2.0
#include "cast/cast.h"

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "evictd/try.h"
#include "stage/text_file.h"

namespace evictd::bench {
namespace {

/// The kubelet's values.
constexpr int kBestEffortScore = 1000;
constexpr int kGuaranteedScore = -997;

constexpr std::chrono::seconds kFillDeadline{120};

}  // namespace

int burstable_oom_score_adj(Bytes request, Bytes capacity) {
  const std::int64_t share = 1000 * request.value / std::max<std::int64_t>(capacity.value, 1);
  return static_cast<int>(std::clamp<std::int64_t>(1000 - share, 2, 999));
}

Result<> set_oom_score_adj(pid_t pid, int value) {
  return stage::write_kernel_file("/proc/" + std::to_string(pid) + "/oom_score_adj",
                                  std::to_string(value));
}

Cast::Cast(stage::PrivateTree& tree, std::filesystem::path evict_load,
           std::filesystem::path directory, const Holdings& holdings, Bytes capacity)
    : tree_(tree),
      evict_load_(std::move(evict_load)),
      directory_(std::move(directory)),
      holdings_(holdings),
      capacity_(capacity) {}

Result<Actor> Cast::make(const stage::PodSpec& spec, const stage::LoadOptions& load,
                         int oom_score_adj) {
  std::error_code ignored;
  std::filesystem::create_directories(manifests(), ignored);
  EVICTD_ASSIGN_OR_RETURN(const stage::StagedPod pod, tree_.add_pod(spec));
  EVICTD_TRY(
      stage::replace_file(manifests() / (pod.uid + ".json"), stage::manifest(spec, pod.uid)));
  EVICTD_ASSIGN_OR_RETURN(stage::LoadProcess process, stage::LoadProcess::start(tree_, pod, load));
  EVICTD_TRY(set_oom_score_adj(process.child().pid(), oom_score_adj));
  return Actor{pod, std::move(process)};
}

Result<> Cast::dismiss(std::optional<Actor>& actor) {
  if (!actor) {
    return {};
  }
  Actor ended = std::move(*actor);
  actor.reset();
  return remove(std::move(ended));
}

Result<> Cast::kill_bystanders() {
  Result<> dismissed = dismiss(guaranteed_);
  return dismissed ? dismiss(burstable_) : dismissed;
}

Result<> Cast::fill(std::optional<Actor>& actor, const stage::PodSpec& spec, Bytes amount,
                    int oom_score_adj) {
  if (lives(actor)) {
    return {};
  }
  EVICTD_TRY(dismiss(actor));
  EVICTD_ASSIGN_OR_RETURN(Actor made, make(spec,
                                           {.binary = evict_load_,
                                            .directory = directory_,
                                            .cap = amount.value,
                                            .pages = stage::PageKind::kHuge,
                                            .content = holdings_.content},
                                           oom_score_adj));
  actor.emplace(std::move(made));
  actor->process.go();
  return actor->process.await_holding(kFillDeadline);
}

Result<> Cast::fill_bystanders() {
  EVICTD_TRY(fill(guaranteed_,
                  {.name = "guaranteed-database",
                   .qos = stage::QosClass::kGuaranteed,
                   .memory_request = holdings_.guaranteed_asks},
                  holdings_.guaranteed_holds, kGuaranteedScore));
  return fill(burstable_,
              {.name = "burstable-web",
               .qos = stage::QosClass::kBurstable,
               .memory_request = holdings_.burstable_asks},
              holdings_.burstable_holds,
              burstable_oom_score_adj(holdings_.burstable_asks, capacity_));
}

Result<Actor> Cast::make_culprit(const std::string& name, stage::LoadOptions load) {
  load.binary = evict_load_;
  load.directory = directory_;
  load.content = holdings_.content;
  load.ignore_sigterm = true;
  return make({.name = name}, load, kBestEffortScore);
}

Result<> Cast::remove(Actor actor) {
  const stage::StagedPod pod = actor.pod;
  { const Actor ended = std::move(actor); }
  std::error_code ignored;
  for (const char* suffix : {".stamps", ".log"}) {
    std::filesystem::remove(directory_ / (pod.uid + suffix), ignored);
  }
  std::filesystem::remove(manifests() / (pod.uid + ".json"), ignored);
  // Children outlive the process that forked them.
  EVICTD_TRY(tree_.kill_pod(pod));
  return tree_.remove_pod(pod);
}

bool Cast::lives(const std::optional<Actor>& actor) {
  return actor && actor->process.child().lives();
}

int Cast::dead_bystanders() const {
  const auto is_dead = [](const std::optional<Actor>& actor) { return actor && !lives(actor); };
  return (is_dead(guaranteed_) ? 1 : 0) + (is_dead(burstable_) ? 1 : 0);
}

void Cast::watch_bystanders(Duration time) const {
  const auto deadline = std::chrono::steady_clock::now() + time;
  for (;;) {
    std::vector<pollfd> alive;
    for (const std::optional<Actor>* actor : {&guaranteed_, &burstable_}) {
      if (lives(*actor)) {
        alive.push_back({(*actor)->process.child().pidfd(), POLLIN, 0});
      }
    }
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    if (alive.empty() || left.count() <= 0) {
      return;
    }
    ::poll(alive.data(), alive.size(), static_cast<int>(left.count()));
  }
}

Result<std::int64_t> Cast::oom_kills(const Actor& actor) const {
  const Result<std::string> text = stage::read_text(directory_of(actor) / "memory.events");
  return text ? stage::number_after(*text, "oom_kill") : tl::unexpected(text.error());
}

}  // namespace evictd::bench
