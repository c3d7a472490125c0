// SPDX-License-Identifier: Apache-2.0
#include "probe/watch_registry.h"

#include <cerrno>
#include <string>

#include "evictd/try.h"
#include "probe/loader.h"
#include "probe/skeleton.h"

namespace evictd::probe {
namespace {

template <typename T>
void store(T& variable, T value) {
  __atomic_store_n(&variable, value, __ATOMIC_RELEASE);
}

evictd_cgroup_key key_of(CgroupId id) {
  return {.id = id.id, .hierarchy = id.hierarchy, .pad = 0};
}

template <typename Key, typename Value>
Result<> update(bpf_map* map, const Key& key, const Value& value) {
  if (bpf_map__update_elem(map, &key, sizeof(key), &value, sizeof(value), BPF_ANY) != 0) {
    return fail_errno(errno, std::string("write map ") + bpf_map__name(map));
  }
  return {};
}

template <typename Key>
void remove(bpf_map* map, const Key& key) {
  // Already gone: the kernel side drops a removed cgroup by itself.
  static_cast<void>(bpf_map__delete_elem(map, &key, sizeof(key), 0));
}

}  // namespace

WatchRegistry::WatchRegistry(evictd_bpf& skeleton, const Options& options)
    : skeleton_(skeleton),
      resolver_(skeleton),
      options_(options),
      generations_(std::make_unique<std::atomic<std::uint32_t>[]>(options.max_slots)) {}

std::uint32_t WatchRegistry::generation(std::uint32_t slot) const {
  return slot < options_.max_slots ? generations_[slot].load(std::memory_order_acquire) : 0;
}

Result<> WatchRegistry::set_roots(std::span<const CgroupId> roots) {
  Result<> done = roots_.replace(
      roots, {.add =
                  [this](CgroupId root) {
                    return update(skeleton_.maps.roots, key_of(root), std::uint32_t{1});
                  },
              .remove = [this](CgroupId root) { remove(skeleton_.maps.roots, key_of(root)); }});
  store(skeleton_.bss->root_hierarchies,
        static_cast<decltype(skeleton_.bss->root_hierarchies)>(roots_.hierarchies()));
  return done;
}

Result<WatchRegistry::Tracked*> WatchRegistry::known(CgroupId id) {
  const auto entry = tracked_.find(id);
  if (entry == tracked_.end()) {
    return fail(Errc::kInvalid, "no open directory given for a cgroup that is not watched yet");
  }
  return &entry->second;
}

Result<WatchRegistry::Tracked*> WatchRegistry::track(CgroupId id,
                                                     const Result<evictd_resolved>& resolved) {
  EVICTD_TRY(resolved);
  Tracked& tracked = tracked_[id];
  // A controller that was removed and added again has another counter.
  if (tracked.resolved.memory_counter != resolved->memory_counter) {
    retract_counter(tracked.resolved.memory_counter, id);
  }
  if (tracked.resolved.pids_counter != resolved->pids_counter) {
    retract_counter(tracked.resolved.pids_counter, id);
  }
  tracked.resolved = *resolved;
  tracked.published.reset();
  return &tracked;
}

Result<> WatchRegistry::publish_counter(std::uint64_t address, const evictd_counter& counter,
                                        CgroupId owner) {
  if (address == 0) {
    return {};
  }
  counter_owners_[address] = owner;
  return update(skeleton_.maps.counters, address, counter);
}

Result<> WatchRegistry::publish(Tracked& tracked) {
  const evictd_resolved& resolved = tracked.resolved;
  const CgroupId id{.hierarchy = resolved.cgroup.hierarchy, .id = resolved.cgroup.id};
  const evictd_cgroup entry{.memory_counter = resolved.memory_counter,
                            .pids_counter = resolved.pids_counter};
  // The entry for removal comes first, so that no counter is left behind.
  EVICTD_TRY(update(skeleton_.maps.cgroups, resolved.cgroup, entry));
  EVICTD_TRY(publish_counter(resolved.memory_counter,
                             {.slot = tracked.slot,
                              .working_set_watch = tracked.working_set_watch,
                              .usage_watch = tracked.usage_watch,
                              .tasks_watch = 0},
                             id));
  EVICTD_TRY(publish_counter(resolved.pids_counter,
                             {.slot = tracked.slot,
                              .working_set_watch = 0,
                              .usage_watch = 0,
                              .tasks_watch = tracked.tasks_watch},
                             id));
  tracked.published = tracked.indices();
  return {};
}

void WatchRegistry::retract_counter(std::uint64_t address, CgroupId owner) {
  const auto entry = counter_owners_.find(address);
  // After rmdir the kernel may have given the same address to a newer cgroup: leave that one alone.
  if (entry == counter_owners_.end() || entry->second != owner) {
    return;
  }
  counter_owners_.erase(entry);
  remove(skeleton_.maps.counters, address);
}

void WatchRegistry::retract_if_unused(CgroupId id) {
  const auto entry = tracked_.find(id);
  if (entry == tracked_.end()) {
    return;
  }
  const Tracked& tracked = entry->second;
  if (tracked.slot != 0 || tracked.working_set_watch != 0 || tracked.usage_watch != 0 ||
      tracked.tasks_watch != 0) {
    return;
  }
  retract_counter(tracked.resolved.memory_counter, id);
  retract_counter(tracked.resolved.pids_counter, id);
  remove(skeleton_.maps.cgroups, key_of(id));
  tracked_.erase(entry);
}

void WatchRegistry::release_slot(CgroupId id) {
  const auto entry = tracked_.find(id);
  if (entry == tracked_.end()) {
    return;
  }
  entry->second.slot = 0;
  if (entry->second.working_set_watch != 0 || entry->second.usage_watch != 0 ||
      entry->second.tasks_watch != 0) {
    // A cgroup that is gone meanwhile gets an entry again, which its id check empties.
    static_cast<void>(publish(entry->second));
  }
  retract_if_unused(id);
}

Result<> WatchRegistry::write_target(std::uint32_t slot, const evictd_target& target) {
  // In two steps, because the kernel reads rows meanwhile: it must not check the new address
  // against the old identity and call it stale.
  evictd_target without_addresses = target;
  without_addresses.memory_counter = 0;
  without_addresses.pids_counter = 0;
  const Result<> first = update(skeleton_.maps.targets, slot, without_addresses);
  return first ? update(skeleton_.maps.targets, slot, target) : first;
}

void WatchRegistry::update_slot_limit() {
  const std::uint32_t limit = slots_.empty() ? 0 : slots_.rbegin()->first + 1;
  store(skeleton_.bss->slot_limit, static_cast<decltype(skeleton_.bss->slot_limit)>(limit));
}

PodCounters WatchRegistry::resolve(const PodCgroup& pod) const {
  const auto ask = [this](CgroupId id, int fd) {
    return id && fd >= 0 ? std::optional(resolver_.resolve(fd, id)) : std::nullopt;
  };
  return {.memory = ask(pod.memory, pod.memory_fd), .pids = ask(pod.pids, pod.pids_fd)};
}

Result<std::uint32_t> WatchRegistry::watch(std::uint32_t slot, const PodCgroup& pod,
                                           const PodCounters& counters) {
  if (slot >= options_.max_slots) {
    return fail(Errc::kInvalid, "slot " + std::to_string(slot) + " is not below " +
                                    std::to_string(options_.max_slots));
  }
  static_cast<void>(unwatch(slot));
  evictd_target target{};
  for (const bool memory : {true, false}) {
    const CgroupId id = memory ? pod.memory : pod.pids;
    if (!id) {
      continue;
    }
    const std::optional<Result<evictd_resolved>>& found = memory ? counters.memory : counters.pids;
    const Result<Tracked*> tracked = found ? track(id, *found) : known(id);
    if (!tracked) {
      release_slot(pod.memory);
      return fail_in("watch a pod's cgroup", tracked.error());
    }
    const evictd_resolved& resolved = (*tracked)->resolved;
    (*tracked)->slot = slot + 1;
    if (memory) {
      target.memory_counter = resolved.memory_counter;
      target.inactive_file = resolved.inactive_file;
      target.memory_serial = resolved.memory_serial;
      target.memory_id = id.id;
    } else {
      target.pids_counter = resolved.pids_counter;
      target.pids_serial = resolved.pids_serial;
    }
  }
  slots_[slot] = {.memory = pod.memory, .pids = pod.pids};
  target.generation = ++last_generation_;
  Result<> done = write_target(slot, target);
  for (const CgroupId id : {pod.memory, pod.pids}) {
    if (done && id) {
      done = publish(tracked_.at(id));
    }
  }
  if (!done) {
    static_cast<void>(unwatch(slot));
    return tl::unexpected(done.error());
  }
  update_slot_limit();
  generations_[slot].store(target.generation, std::memory_order_release);
  return target.generation;
}

Result<> WatchRegistry::unwatch(std::uint32_t slot) {
  const auto entry = slots_.find(slot);
  if (entry == slots_.end()) {
    return {};
  }
  generations_[slot].store(0, std::memory_order_release);
  const Slot old = entry->second;
  slots_.erase(entry);
  Result<> cleared = update(skeleton_.maps.targets, slot, evictd_target{});
  release_slot(old.memory);
  release_slot(old.pids);
  update_slot_limit();
  return cleared;
}

}  // namespace evictd::probe
