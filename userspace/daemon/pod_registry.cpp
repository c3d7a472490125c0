// SPDX-License-Identifier: Apache-2.0
#include "daemon/pod_registry.h"

#include <fcntl.h>

#include <algorithm>

namespace evictd::daemon {

namespace {

/// Why the actuator must refuse this pod whatever the pass decides.
enforce::Protection protection_of(const cluster::PodEntry& entry, const eviction::PodFacts& facts) {
  if (facts.is_static) {
    return enforce::Protection::kStatic;
  }
  if (facts.is_mirror) {
    return enforce::Protection::kMirror;
  }
  if (facts.is_critical) {
    return enforce::Protection::kCritical;
  }
  return entry.state == cluster::PodState::kUnknown ? enforce::Protection::kUnknown
                                                    : enforce::Protection::kNone;
}

std::string name_of(std::string_view path) {
  return std::string(path.substr(path.rfind('/') + 1));
}

std::optional<cluster::CgroupDriver> driver_of(config::CgroupDriver driver) {
  switch (driver) {
    case config::CgroupDriver::kAuto:
      return std::nullopt;
    case config::CgroupDriver::kCgroupfs:
      return cluster::CgroupDriver::kCgroupfs;
    case config::CgroupDriver::kSystemd:
      return cluster::CgroupDriver::kSystemd;
  }
  return std::nullopt;
}

std::int64_t seconds_of(const std::optional<WallTime>& created_at) {
  return created_at
             ? std::chrono::duration_cast<std::chrono::seconds>(created_at->time_since_epoch())
                   .count()
             : 0;
}

}  // namespace

std::vector<cluster::ExternalPodRule> external_rules(const config::Settings& settings) {
  std::vector<cluster::ExternalPodRule> rules;
  for (const config::PodGlob& glob : settings.pod_globs) {
    cluster::ExternalPodRule rule;
    rule.glob = glob.glob;
    rule.name = glob.name;
    rule.priority = glob.priority;
    rule.memory_request = glob.memory_request;
    rules.push_back(std::move(rule));
  }
  return rules;
}

PodRegistry::PodRegistry(Options options, cluster::CgroupTree tree)
    : options_(std::move(options)), tree_(std::move(tree)), places_(tree_.layout()) {}

Result<std::unique_ptr<PodRegistry>> PodRegistry::create(Options options) {
  const config::Settings& settings = options.config->settings();
  Result<sys::CgroupLayout> layout = sys::CgroupLayout::detect(*options.root);
  if (!layout) {
    return Failure(layout.error());
  }
  Result<cluster::CgroupTree> tree =
      cluster::CgroupTree::create(*options.root, std::move(*layout),
                                  {.cgroup_root = settings.cgroup_root,
                                   .driver = driver_of(settings.cgroup_driver),
                                   .external_pods = external_rules(settings)});
  if (!tree) {
    return Failure(tree.error());
  }
  std::unique_ptr<PodRegistry> registry(new PodRegistry(std::move(options), std::move(*tree)));
  if (Result<> opened = registry->open_manifests(registry->options_.config->settings()); !opened) {
    return Failure(opened.error());
  }
  if (Result<> scanned = registry->tree_.scan(); !scanned) {
    return Failure(scanned.error());
  }
  if (Result<> opened = registry->open_places(); !opened) {
    return Failure(opened.error());
  }
  return registry;
}

Result<> PodRegistry::open_manifests(const config::Settings& settings) {
  std::vector<cluster::ManifestDirectory> opened;
  const auto open_all = [&](const std::vector<std::string>& paths,
                            cluster::ManifestKind kind) -> Result<> {
    for (const std::string& path : paths) {
      Result<cluster::ManifestDirectory> directory =
          cluster::ManifestDirectory::open({.path = path, .kind = kind});
      if (!directory) {
        return Failure(directory.error());
      }
      opened.push_back(std::move(*directory));
    }
    return {};
  };
  if (Result<> pods = open_all(settings.manifest_directories, cluster::ManifestKind::kPods);
      !pods) {
    return pods;
  }
  if (Result<> static_pods =
          open_all(settings.static_manifest_directories, cluster::ManifestKind::kStatic);
      !static_pods) {
    return static_pods;
  }
  manifests_ = std::move(opened);
  return {};
}

Result<> PodRegistry::open_places() {
  const std::vector<cluster::ExternalPodRule> external =
      external_rules(options_.config->settings());
  if (tree_.pod_root().empty() && external.empty()) {
    return fail(Errc::kNotFound,
                "no pod root: neither kubepods nor kubepods.slice is below cgroupRoot \"" +
                    options_.config->settings().cgroup_root + "\" in " +
                    tree_.layout().memory().mount);
  }
  if (Result<> opened = places_.open(tree_.pod_root(), external); !opened) {
    return opened;
  }
  return probe_ == nullptr ? Result<>() : watch_roots();
}

Result<> PodRegistry::attach(probe::Probe& probe) {
  probe_ = &probe;
  return watch_roots();
}

Result<> PodRegistry::watch_roots() {
  const std::vector<CgroupId> ids = places_.ids();
  if (Result<> set = probe_->set_roots(ids); !set) {
    return set;
  }
  watch_pod_root();
  return {};
}

void PodRegistry::watch_pod_root() {
  if (tree_.pod_root().empty()) {
    return;
  }
  cluster::PodCgroup root;
  root.path = tree_.pod_root();
  root.memory_id = tree_.pod_root_id();
  if (const auto& pids = tree_.layout().pids()) {
    root.pids_id = sys::cgroup_id(*options_.root, *pids, root.path).value_or(CgroupId{});
  }
  if (!watch(kPodRootSlot, root)) {
    ++counters_.open_failures;
  }
}

std::vector<PodUpdate> PodRegistry::rescan() {
  ++counters_.rescans;
  if (!tree_.scan()) {
    ++counters_.open_failures;
  }
  if (root_changed_) {
    root_changed_ = false;
    if (!open_places()) {
      ++counters_.open_failures;
    }
  }
  for (cluster::ManifestDirectory& directory : manifests_) {
    static_cast<void>(directory.refresh());
  }
  return differences();
}

void PodRegistry::note(const probe::CgroupChanged& event) {
  cluster::TreeAnswer answer;
  switch (event.change) {
    case probe::CgroupChange::kCreated:
      answer = tree_.created(event.cgroup, {event.cgroup.hierarchy, event.parent_id},
                             name_of(event.path));
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
  if (answer.change == cluster::TreeChange::kRootChanged) {
    root_changed_ = true;
  }
  if (!answer.uid.empty()) {
    touched_.insert(answer.uid);
  }
  changed_ = changed_ || answer.change != cluster::TreeChange::kIrrelevant;
}

void PodRegistry::note_manifests() {
  for (cluster::ManifestDirectory& directory : manifests_) {
    changed_ = directory.refresh() || changed_;
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

Result<std::vector<PodUpdate>> PodRegistry::reload(std::shared_ptr<const config::Config> config) {
  if (Result<> opened = open_manifests(config->settings()); !opened) {
    return Failure(opened.error());
  }
  options_.config = std::move(config);
  return differences();
}

void PodRegistry::retired(std::uint32_t slot) {
  if (retiring_.erase(slot) != 0) {
    slots_.give_back(slot);
  }
}

void PodRegistry::join() {
  const std::vector<const cluster::PodCgroup*> cgroups = tree_.pods();
  std::vector<const cluster::Manifest*> manifests;
  for (const cluster::ManifestDirectory& directory : manifests_) {
    const std::vector<const cluster::Manifest*> some = directory.manifests();
    manifests.insert(manifests.end(), some.begin(), some.end());
  }
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
  const eviction::PodFacts facts =
      eviction::facts_of(entry.pod, options_.config->settings().compatibility);
  const enforce::Protection protection = protection_of(entry, facts);
  const auto found = placed_.find(entry.uid);
  if (found != placed_.end()) {
    const Placed& known = found->second;
    if (!touched_.contains(entry.uid) && known.state == entry.state &&
        known.protection == protection && known.containers == entry.cgroup->containers &&
        known.facts == facts) {
      return;
    }
  }
  std::optional<std::uint32_t> slot =
      found != placed_.end() ? std::optional(found->second.slot) : slots_.take();
  if (!slot) {
    ++counters_.without_slot;
    return;
  }
  if (found == placed_.end() && probe_ != nullptr && !watch(*slot, *entry.cgroup)) {
    ++counters_.open_failures;
  }
  std::unique_ptr<HotPod> hot = make(entry, *slot);
  placed_.insert_or_assign(entry.uid, Placed{.slot = *slot,
                                             .hot = hot.get(),
                                             .memory_id = entry.cgroup->memory_id,
                                             .state = entry.state,
                                             .protection = protection,
                                             .containers = entry.cgroup->containers,
                                             .facts = facts});
  updates.push_back({.slot = *slot, .pod = std::move(hot)});
}

std::unique_ptr<HotPod> PodRegistry::make(const cluster::PodEntry& entry, std::uint32_t slot) {
  auto pod = std::make_unique<HotPod>();
  pod->slot = slot;
  pod->uid = entry.uid;
  pod->ns = entry.pod.ns;
  pod->name = entry.pod.name;
  pod->created_at_s = seconds_of(entry.pod.created_at);
  pod->memory_id = entry.cgroup->memory_id;
  pod->state = entry.state;
  pod->facts = eviction::facts_of(entry.pod, options_.config->settings().compatibility);
  pod->protection = protection_of(entry, pod->facts);
  if (auto target = places_.open_target(*entry.cgroup, pod->protection)) {
    pod->target = std::move(*target);
  } else if (target.error().code != Errc::kNotFound) {
    ++counters_.open_failures;
  }
  if (auto files = sys::CgroupFiles::open(*options_.root, tree_.layout(), entry.cgroup->path)) {
    pod->files = std::move(*files);
  } else if (files.error().code != Errc::kNotFound) {
    ++counters_.open_failures;
  }
  return pod;
}

Result<> PodRegistry::watch(std::uint32_t slot, const cluster::PodCgroup& cgroup) {
  const auto open_dir = [&](const sys::Hierarchy& hierarchy) {
    return options_.root->open_file(hierarchy.path_of(cgroup.path), O_RDONLY | O_DIRECTORY);
  };
  Result<base::Fd> memory = open_dir(tree_.layout().memory());
  if (!memory) {
    return Failure(memory.error());
  }
  base::Fd pids;
  if (tree_.layout().pids() && cgroup.pids_id) {
    pids = open_dir(*tree_.layout().pids()).value_or(base::Fd{});
  }
  const Result<std::uint32_t> generation = probe_->watch(slot, {.memory = cgroup.memory_id,
                                                                .pids = cgroup.pids_id,
                                                                .memory_fd = memory->get(),
                                                                .pids_fd = pids.get()});
  if (!generation) {
    return Failure(generation.error());
  }
  return {};
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

std::vector<Error> PodRegistry::problems() const {
  std::vector<Error> problems = table_.problems;
  for (const cluster::ManifestDirectory& directory : manifests_) {
    const std::vector<Error> some = directory.problems();
    problems.insert(problems.end(), some.begin(), some.end());
  }
  return problems;
}

std::vector<int> PodRegistry::manifest_fds() const {
  std::vector<int> fds;
  fds.reserve(manifests_.size());
  for (const cluster::ManifestDirectory& directory : manifests_) {
    fds.push_back(directory.fd());
  }
  return fds;
}

}  // namespace evictd::daemon
