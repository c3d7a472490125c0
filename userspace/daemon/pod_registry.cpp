// SPDX-License-Identifier: Apache-2.0
#include "daemon/pod_registry.h"

#include <algorithm>
#include <utility>

#include "config/never_evict.h"
#include "daemon/pod_rules.h"

namespace evictd::daemon {

namespace {

std::string last_part(std::string_view path) {
  return std::string(path.substr(path.rfind('/') + 1));
}

}  // namespace

PodRegistry::PodRegistry(Options options, cluster::CgroupTree tree)
    : options_(std::move(options)),
      tree_(std::move(tree)),
      places_(tree_.layout()),
      opener_({.root = options_.root,
               .layout = &tree_.layout(),
               .places = &places_,
               .shares = DescriptorShares(options_.descriptor_limit)}) {}

Result<std::unique_ptr<PodRegistry>> PodRegistry::create(Options options) {
  const config::Settings& settings = options.config->settings();
  Result<sys::CgroupLayout> layout = sys::CgroupLayout::detect(*options.root);
  if (!layout) {
    return Failure(layout.error());
  }
  Result<cluster::CgroupTree> tree =
      cluster::CgroupTree::create(*options.root, std::move(*layout), place_options(settings));
  if (!tree) {
    return Failure(tree.error());
  }
  std::unique_ptr<PodRegistry> registry(new PodRegistry(std::move(options), std::move(*tree)));
  Result<ManifestSources> manifests = ManifestSources::open(registry->options_.config->settings());
  if (!manifests) {
    return Failure(manifests.error());
  }
  registry->manifests_ = std::move(*manifests);
  registry->tree_.find_root();
  registry->first_pod_root_ = registry->tree_.pod_root_id();
  if (Result<> opened = registry->open_places(); !opened) {
    return Failure(opened.error());
  }
  registry->first_pids_root_ = registry->places_.pids_id(registry->tree_.pod_root());
  return registry;
}

Result<sys::CgroupFiles> PodRegistry::open_pod_root_files() const {
  if (tree_.pod_root().empty()) {
    return sys::CgroupFiles();
  }
  return sys::CgroupFiles::open(*options_.root, tree_.layout(), tree_.pod_root(),
                                sys::CgroupFileSet::kRoot);
}

std::vector<PodUpdate> PodRegistry::rescan() {
  ++counters_.rescans;
  root_changed_ = false;
  // Before the scan: what comes below them after it the kernel side tells.
  follow_places();
  if (!tree_.scan()) {
    ++counters_.open_failures;
  }
  static_cast<void>(manifests_.refresh());
  complete_some();
  return differences();
}

void PodRegistry::note(const probe::CgroupChanged& event) {
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
    case probe::CgroupChange::kTaskAttached:
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

void PodRegistry::note_manifests() {
  changed_ = manifests_.refresh() || changed_;
}

void PodRegistry::make_anew(std::string_view uid) {
  if (placed_.contains(uid)) {
    touched_.emplace(uid);
    changed_ = true;
  }
}

void PodRegistry::complete_some() {
  std::uint64_t room = opener_.shares().room();
  for (const auto& [uid, placed] : placed_) {
    if (!placed.watched || (!placed.has_target && placed.complete)) {
      touched_.insert(uid);
    } else if (!placed.complete && room > 0) {
      touched_.insert(uid);
      --room;
    }
  }
}

std::vector<PodUpdate> PodRegistry::apply() {
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
  const std::vector<const cluster::PodCgroup*> cgroups = tree_.pods();
  const std::vector<const cluster::Manifest*> manifests = manifests_.manifests();
  const config::Settings& settings = options_.config->settings();
  const std::vector<cluster::ExternalPodRule> rules = external_rules(settings);
  table_ = cluster::join_pods(
      {.cgroups = cgroups,
       .manifests = manifests,
       // Static manifests alone do not say which other pods there are.
       .sources = settings.manifest_directories.empty() ? cluster::PodSources::kTreeOnly
                                                        : cluster::PodSources::kConfigured,
       .unknown_pods = settings.evict_unknown_pods ? cluster::UnknownPods::kEvict
                                                   : cluster::UnknownPods::kNeverEvict,
       .external_pods = rules});
}

std::vector<PodUpdate> PodRegistry::differences() {
  changed_ = false;
  join();
  std::vector<PodUpdate> updates;
  std::erase_if(placed_, [&](const auto& item) {
    const cluster::PodEntry* entry = table_.find(item.first);
    if (entry != nullptr && entry->cgroup && entry->cgroup->memory_id == item.second.memory_id) {
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
  for (const cluster::PodEntry& entry : table_.entries) {
    if (entry.cgroup) {
      place(entry, updates);
    }
  }
  touched_.clear();
  return updates;
}

void PodRegistry::place(const cluster::PodEntry& entry, std::vector<PodUpdate>& updates) {
  PodStanding standing;
  standing.facts = eviction::facts_of(entry.pod, options_.config->settings().compatibility);
  standing.facts.never_evict = config::names_pod(options_.config->settings().brakes.never_evict,
                                                 entry.pod.ns, entry.pod.labels);
  standing.protection = protection_of(entry, standing.facts);
  const auto found = placed_.find(entry.uid);
  if (found != placed_.end()) {
    const Placed& known = found->second;
    if (!touched_.contains(entry.uid) && known.state == entry.state &&
        known.containers == entry.cgroup->containers && known.standing == standing) {
      return;
    }
  }
  const std::optional<std::uint32_t> slot =
      found != placed_.end() ? std::optional(found->second.slot) : slots_.take();
  if (!slot) {
    ++counters_.without_slot;
    return;
  }
  // A runtime makes the directories of v1 one after the other.
  bool watched = probe_ == nullptr || (found != placed_.end() && found->second.watched &&
                                       found->second.pids_id == entry.cgroup->pids_id);
  if (!watched) {
    watched = watch(*slot, *entry.cgroup).has_value();
    counters_.open_failures += watched ? 0 : 1;
  }
  PodOpener::Opened opened = opener_.open(entry, standing, *slot);
  counters_.open_failures += opened.failed ? 1 : 0;
  placed_.insert_or_assign(entry.uid, Placed{.slot = *slot,
                                             .hot = opened.pod.get(),
                                             .complete = opened.complete,
                                             .watched = watched,
                                             .has_target = opened.pod->target != nullptr,
                                             .memory_id = entry.cgroup->memory_id,
                                             .pids_id = entry.cgroup->pids_id,
                                             .state = entry.state,
                                             .containers = entry.cgroup->containers,
                                             .standing = std::move(standing)});
  updates.push_back({.slot = *slot, .pod = std::move(opened.pod)});
}

std::vector<PodRegistry::Listed> PodRegistry::list() const {
  std::vector<Listed> listed;
  listed.reserve(table_.entries.size());
  for (const cluster::PodEntry& entry : table_.entries) {
    const auto found = placed_.find(entry.uid);
    listed.push_back(
        {.entry = &entry, .hot = found == placed_.end() ? nullptr : found->second.hot});
  }
  return listed;
}

std::size_t PodRegistry::incomplete() const {
  return static_cast<std::size_t>(std::count_if(
      placed_.begin(), placed_.end(), [](const auto& item) { return !item.second.complete; }));
}

std::vector<Error> PodRegistry::problems() const {
  std::vector<Error> problems = table_.problems;
  const std::vector<Error> of_manifests = manifests_.problems();
  problems.insert(problems.end(), of_manifests.begin(), of_manifests.end());
  return problems;
}

}  // namespace evictd::daemon
