// SPDX-License-Identifier: Apache-2.0
#include "daemon/pods/pod_registry.h"

#include <algorithm>
#include <utility>

#include "cluster/configured_places.h"
#include "config/never_evict.h"
#include "daemon/beside.h"
#include "daemon/pods/pod_rules.h"
#include "evictd/try.h"

namespace evictd::daemon {

namespace {

std::string last_part(std::string_view path) {
  return std::string(path.substr(path.rfind('/') + 1));
}

/// Whether there is no failure: a lack of descriptors at the start may be over by now.
bool are_resolved(const std::optional<Result<probe::PodCounters>>& counters) {
  const auto failed = [](const auto& one) { return one && !one->has_value(); };
  return counters && counters->has_value() && !failed((*counters)->memory) &&
         !failed((*counters)->pids);
}

}  // namespace

PodRegistry::PodRegistry(Options options, cluster::CgroupTree tree)
    : options_(std::move(options)),
      tree_(std::move(tree)),
      places_(tree_.layout(), options_.lock_directory),
      opener_({.root = options_.root,
               .places = &places_,
               .shares = DescriptorShares(options_.descriptor_limit)}) {}

Result<std::unique_ptr<PodRegistry>> PodRegistry::create(Options options) {
  const config::Settings& settings = options.config->settings();
  EVICTD_ASSIGN_OR_RETURN(sys::CgroupLayout layout, sys::CgroupLayout::detect(*options.root));
  EVICTD_ASSIGN_OR_RETURN(cluster::CgroupTree tree,
                          cluster::CgroupTree::create(*options.root, std::move(layout),
                                                      cluster::place_options(settings)));
  std::unique_ptr<PodRegistry> registry(new PodRegistry(std::move(options), std::move(tree)));
  EVICTD_ASSIGN_OR_RETURN(registry->manifests_,
                          ManifestSources::open(registry->options_.config->settings()));
  registry->tree_.find_root();
  EVICTD_TRY(registry->open_places());
  return registry;
}

Result<sys::CgroupFiles> PodRegistry::open_pod_root_files() const {
  if (tree_.pod_root().empty()) {
    return sys::CgroupFiles();
  }
  return sys::CgroupFiles::open(*options_.root, tree_.layout(), tree_.pod_root(),
                                sys::CgroupFileSet::kRoot);
}

Result<sys::NodeFiles> PodRegistry::open_node_files() const {
  return sys::NodeFiles::open(*options_.root, tree_.layout());
}

Result<sys::CgroupFiles> PodRegistry::open_files_of(std::string_view uid) const {
  const cluster::PodCgroup* const pod = tree_.find(uid);
  if (pod == nullptr) {
    return fail(Errc::kNotFound, "pod " + std::string(uid) + " has no cgroup");
  }
  return places_.open_files(*options_.root, *pod);
}

std::vector<PodUpdate> PodRegistry::rescan() {
  ++counters_.rescans;
  root_changed_ = false;
  // First: later changes at a place are reported.
  static_cast<void>(places_.take_changes());
  // Before the scan: the kernel side reports what appears below them later.
  follow_places();
  std::optional<Beside> resolving;
  if (probe_ != nullptr && !ahead_.empty()) {
    // Touches nothing that a scan does.
    resolving.emplace([this] {
      ahead_.resolve_all([this](const cluster::PodCgroup& pod) { return resolve(pod); });
    });
  }
  if (Result<std::vector<std::string>> differing = tree_.scan()) {
    // A nested cgroup that no event reported: the join does not show it.
    touched_.insert(differing->begin(), differing->end());
  } else {
    ++counters_.open_failures;
  }
  resolving.reset();
  if (manifests_.refresh()) {
    // A pod's description is compared only in part.
    ahead_.clear();
  }
  complete_some();
  return differences();
}

void PodRegistry::open_pods_early() {
  static_cast<void>(tree_.scan());
  static_cast<void>(manifests_.refresh());
  join();
  std::vector<PodOpener::Wanted> wanted;
  for (const cluster::PodEntry& entry : table_.entries) {
    if (entry.cgroup && wanted.size() < kMaxPods) {
      wanted.push_back({.entry = &entry, .standing = standing_of(entry), .slot = 0});
    }
  }
  std::vector<PodOpener::Opened> opened = opener_.open_all(wanted);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    ahead_.add(wanted[i], std::move(opened[i]));
  }
}

void PodRegistry::queue(const probe::CgroupChanged& event) {
  cluster::TreeAnswer answer;
  switch (event.change) {
    case probe::CgroupChange::kCreated:
      answer = tree_.created(event.cgroup, {event.cgroup.hierarchy, event.parent_id},
                             last_part(event.path));
      break;
    case probe::CgroupChange::kRemoved:
      answer = tree_.removed(event.cgroup);
      break;
    case probe::CgroupChange::kPopulated:
      answer = tree_.populated_changed(event.cgroup, /*populated=*/true);
      break;
    case probe::CgroupChange::kEmptied:
      answer = tree_.populated_changed(event.cgroup, /*populated=*/false);
      break;
  }
  const bool came_or_went = event.change == probe::CgroupChange::kCreated ||
                            event.change == probe::CgroupChange::kRemoved;
  if (answer.change == cluster::TreeChange::kRootChanged ||
      (came_or_went && places_.has(event.path))) {
    root_changed_ = true;
  }
  if (!answer.uid.empty()) {
    touched_.insert(answer.uid);
  }
  changed_ = changed_ || answer.change != cluster::TreeChange::kIrrelevant;
}

void PodRegistry::queue_changes() {
  changed_ = manifests_.refresh() || changed_;
  root_changed_ = places_.take_changes() || root_changed_;
}

void PodRegistry::queue_reports() {
  changed_ = manifests_.refresh_reported() || changed_;
  root_changed_ = places_.take_reports() || root_changed_;
}

std::vector<int> PodRegistry::descriptors() const {
  std::vector<int> descriptors = manifests_.fds();
  if (places_.fd() >= 0) {
    descriptors.push_back(places_.fd());
  }
  return descriptors;
}

void PodRegistry::queue_reopening(std::string_view uid) {
  if (placed_.contains(uid)) {
    touched_.emplace(uid);
    changed_ = true;
  }
}

void PodRegistry::mark_own_process(std::string_view uid) {
  if (const auto found = placed_.find(uid); found != placed_.end()) {
    found->second.is_own = true;
  }
}

void PodRegistry::complete_some() {
  std::uint64_t room = opener_.shares().room();
  for (const auto& [uid, placed] : placed_) {
    if (!placed.watched || placed.is_own || (!placed.has_target && placed.complete)) {
      touched_.insert(uid);
    } else if (!placed.complete && room > 0) {
      touched_.insert(uid);
      --room;
    }
  }
}

std::vector<PodUpdate> PodRegistry::apply() {
  if (known_of_root_.doubted) {
    watch_pod_root();
    known_of_root_.doubted = false;  // Remaining faults are noted again.
  }
  if (root_changed_) {
    return rescan();
  }
  if (!changed_) {
    return {};
  }
  return differences();
}

std::vector<PodUpdate> PodRegistry::reload(std::shared_ptr<const config::Config> config) {
  options_.config = std::move(config);
  static_cast<void>(manifests_.refresh());
  return differences();
}

void PodRegistry::retired(std::uint32_t slot) {
  if (retiring_.erase(slot) != 0) {
    slots_.give_back(slot);
  }
}

void PodRegistry::join() {
  std::vector<const cluster::PodCgroup*> cgroups = tree_.pods();
  // Another evictd decides about the pods of a refused place.
  const std::vector<cluster::ExternalPodRule>& globs = tree_.rules().external_pods();
  std::erase_if(cgroups, [&](const cluster::PodCgroup* pod) {
    return places_.is_refused(pod->external_rule ? fixed_parent(globs[*pod->external_rule].glob)
                                                 : tree_.pod_root());
  });
  const std::vector<const cluster::Manifest*> manifests = manifests_.manifests();
  const config::Settings& settings = options_.config->settings();
  const std::vector<cluster::ExternalPodRule> rules = cluster::external_rules(settings);
  table_ = cluster::join_pods({.cgroups = cgroups,
                               .manifests = manifests,
                               // Static manifests alone do not name all other pods.
                               .sources = settings.manifest_directories.empty()
                                              ? cluster::PodSources::kTreeOnly
                                              : cluster::PodSources::kConfigured,
                               .unknown_pods = settings.evict_unknown_pods && manifests_.were_read()
                                                   ? cluster::UnknownPods::kEvict
                                                   : cluster::UnknownPods::kNeverEvict,
                               .external_pods = rules});
}

std::vector<PodUpdate> PodRegistry::differences() {
  changed_ = false;
  join();
  std::vector<PodUpdate> updates;
  empty_slots(updates);
  const std::vector<PodOpener::Wanted> wanted = find_wanted();
  std::vector<PodsAhead::Ready> opened = open_all(wanted);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    place(wanted[i], std::move(opened[i]), updates);
  }
  touched_.clear();
  return updates;
}

void PodRegistry::empty_slots(std::vector<PodUpdate>& updates) {
  std::map<std::string_view, CgroupId> there;
  for (const cluster::PodEntry& entry : table_.entries) {
    if (entry.cgroup) {
      there.emplace(entry.uid, entry.cgroup->memory_id);
    }
  }
  std::erase_if(placed_, [&](const auto& item) {
    const auto found = there.find(item.first);
    if (found != there.end() && found->second == item.second.memory_id) {
      return false;
    }
    const std::uint32_t slot = item.second.slot;
    if (probe_ != nullptr && !probe_->unwatch(slot)) {
      ++counters_.open_failures;
    }
    retiring_.insert(slot);
    updates.push_back({.slot = slot, .pod = nullptr});
    return true;
  });
}

PodStanding PodRegistry::standing_of(const cluster::PodEntry& entry) const {
  const config::Settings& settings = options_.config->settings();
  PodStanding standing;
  standing.facts = eviction::facts_of(entry.pod, settings.compatibility);
  standing.facts.never_evict =
      config::names_pod(settings.brakes.never_evict, entry.pod.ns, entry.pod.labels);
  standing.facts.below_pod_root = is_below_pod_root(*entry.cgroup, tree_.pod_root());
  standing.protection = protection_of(entry, standing.facts);
  standing.keeps_memory_high = settings.grace_bridge == config::GraceBridge::kMemoryHigh;
  return standing;
}

std::vector<PodOpener::Wanted> PodRegistry::find_wanted() {
  std::vector<PodOpener::Wanted> wanted;
  for (const cluster::PodEntry& entry : table_.entries) {
    if (!entry.cgroup) {
      continue;
    }
    const PodStanding standing = standing_of(entry);
    const auto found = placed_.find(entry.uid);
    const bool is_known = found != placed_.end();
    if (is_known && !touched_.contains(entry.uid) && found->second.state == entry.state &&
        found->second.containers == entry.cgroup->containers &&
        found->second.standing == standing) {
      continue;
    }
    const std::optional<std::uint32_t> slot =
        is_known ? std::optional(found->second.slot) : slots_.take();
    if (slot) {
      wanted.push_back({.entry = &entry, .standing = standing, .slot = *slot});
    } else {
      ++counters_.without_slot;
    }
  }
  return wanted;
}

std::vector<PodsAhead::Ready> PodRegistry::open_all(const std::vector<PodOpener::Wanted>& wanted) {
  std::vector<PodsAhead::Ready> all(wanted.size());
  std::vector<PodOpener::Wanted> others;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    std::optional<PodsAhead::Ready> ready =
        touched_.contains(wanted[i].entry->uid) ? std::nullopt : ahead_.take(wanted[i]);
    if (ready) {
      all[i] = std::move(*ready);
    } else {
      others.push_back(wanted[i]);
      places.push_back(i);
    }
  }
  // Before others are opened: those opened ahead would occupy descriptors.
  ahead_.clear();
  std::vector<PodOpener::Opened> opened = opener_.open_all(others);
  for (std::size_t i = 0; i < places.size(); ++i) {
    all[places[i]].opened = std::move(opened[i]);
  }
  return all;
}

void PodRegistry::place(const PodOpener::Wanted& one, PodsAhead::Ready ready,
                        std::vector<PodUpdate>& updates) {
  PodOpener::Opened& opened = ready.opened;
  const cluster::PodEntry& entry = *one.entry;
  const auto found = placed_.find(entry.uid);
  // A runtime creates the directories of v1 one after the other.
  bool watched = probe_ == nullptr || (found != placed_.end() && found->second.watched &&
                                       found->second.pids_id == entry.cgroup->pids_id);
  KnownCounters known = found == placed_.end() ? KnownCounters{} : found->second.known;
  if (!watched) {
    watched =
        watch_known(one.slot, *entry.cgroup,
                    are_resolved(ready.counters) ? *ready.counters : resolve(*entry.cgroup), known);
  }
  counters_.open_failures += opened.failed ? 1 : 0;
  // Before the handover: afterwards only the hot thread knows how long it lives.
  const bool is_own = opened.pod->protection_now() == enforce::Protection::kOwnProcess;
  placed_.insert_or_assign(entry.uid, PlacedPod{.slot = one.slot,
                                                .hot = opened.pod.get(),
                                                .complete = opened.complete,
                                                .watched = watched,
                                                .known = known,
                                                .has_target = opened.pod->target != nullptr,
                                                .is_own = is_own,
                                                .memory_id = entry.cgroup->memory_id,
                                                .pids_id = entry.cgroup->pids_id,
                                                .state = entry.state,
                                                .containers = entry.cgroup->containers,
                                                .standing = one.standing});
  updates.push_back({.slot = one.slot, .pod = std::move(opened.pod)});
}

std::vector<PodRegistry::Listed> PodRegistry::list() const {
  std::vector<Listed> listed;
  listed.reserve(table_.entries.size());
  for (const cluster::PodEntry& entry : table_.entries) {
    const auto found = placed_.find(entry.uid);
    listed.push_back(found == placed_.end()
                         ? Listed{.entry = &entry, .hot = nullptr, .complete = false}
                         : Listed{.entry = &entry,
                                  .hot = found->second.hot,
                                  .complete = found->second.complete});
  }
  return listed;
}

std::size_t PodRegistry::incomplete() const {
  return static_cast<std::size_t>(std::count_if(
      placed_.begin(), placed_.end(), [](const auto& item) { return !item.second.complete; }));
}

std::vector<Error> PodRegistry::problems() const {
  std::vector<Error> problems = table_.problems;
  for (const std::vector<Error>& more : {manifests_.problems(), places_.problems()}) {
    problems.insert(problems.end(), more.begin(), more.end());
  }
  if (misses_pod_root()) {
    problems.push_back(cluster::no_pod_root(tree_, options_.config->settings()));
    problems.back().context += ": evictd waits for it, continuing without its pods";
  }
  return problems;
}

}  // namespace evictd::daemon
