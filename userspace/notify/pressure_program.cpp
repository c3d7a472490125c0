// SPDX-License-Identifier: Apache-2.0
#include "notify/pressure_program.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <malloc.h>

#include <algorithm>
#include <array>
#include <cerrno>

// The skeleton needs complete types of the shared structures.
#include "evictd_pressure_bpf.skel.h"
#include "probe/libbpf_log.h"

namespace evictd::notify {
namespace {

constexpr std::uint32_t kMaxCgroups = 8192;

struct Hook {
  const char* program;
  const char* name;
};
constexpr std::array kHooks = {
    Hook{.program = "pressure_window_fentry", .name = "fentry/vmpressure_work_fn"},
    Hook{.program = "pressure_window_kprobe", .name = "kprobe/vmpressure_work_fn"},
};

template <typename T>
std::uint64_t counted(const T& value) {
  return __atomic_load_n(&value, __ATOMIC_RELAXED);
}

PressureEvent event_of(const evictd_pressure_record& record) {
  PressureEvent event{.level = static_cast<evictd_notify_level>(record.level),
                      .cgroups = {},
                      .at_source = record.at_source != 0,
                      .window = record.window,
                      .goes_on = record.goes_on != 0};
  const std::uint32_t count = std::min<std::uint32_t>(record.count, EVICTD_PRESSURE_CHAIN);
  for (std::uint32_t i = 0; i < count; ++i) {
    event.cgroups.push_back({.hierarchy = record.hierarchy, .id = record.cgroups[i]});
  }
  return event;
}

}  // namespace

void PressureProgram::SkeletonCloser::operator()(evictd_pressure_bpf* skeleton) const {
  evictd_pressure_bpf__destroy(skeleton);
}

void PressureProgram::LinkCloser::operator()(bpf_link* link) const {
  bpf_link__destroy(link);
}

void PressureProgram::RingCloser::operator()(ring_buffer* ring) const {
  ring_buffer__free(ring);
}

PressureProgram::~PressureProgram() = default;

/// Why `program` does not work; empty if it works.
std::string PressureProgram::try_hook(const std::string& program) {
  probe::LibbpfLog log;
  link_.reset();
  skeleton_.reset(evictd_pressure_bpf__open());
  if (!skeleton_) {
    return "open the object: " + probe::last_words(log.text());
  }
  bpf_map__set_max_entries(skeleton_->maps.pressure_cgroups, kMaxCgroups);
  bpf_program* each = nullptr;
  bpf_object__for_each_program(each, skeleton_->obj) {
    bpf_program__set_autoload(each, program == bpf_program__name(each));
  }
  if (evictd_pressure_bpf__load(skeleton_.get()) != 0) {
    return probe::last_words(log.text());
  }
  link_.reset(
      bpf_program__attach(bpf_object__find_program_by_name(skeleton_->obj, program.c_str())));
  if (!link_) {
    const Error error = fail_errno(errno, "attach " + program).value();
    const std::string words = probe::last_words(log.text());
    return words.empty() ? error.message() : words;
  }
  return "";
}

Result<std::unique_ptr<PressureProgram>> PressureProgram::load() {
  std::unique_ptr<PressureProgram> loaded(new PressureProgram());
  std::string why;
  for (const Hook& hook : kHooks) {
    why = loaded->try_hook(hook.program);
    if (why.empty()) {
      loaded->hook_ = hook.name;
      break;
    }
  }
  // The kernel's whole BTF was on the heap: returns that memory at once.
  ::malloc_trim(0);
  if (loaded->hook_.empty()) {
    return Failure(Error{.code = Errc::kUnsupported,
                         .sys_errno = EOPNOTSUPP,
                         .context = "pressure levels cannot be watched: " + why});
  }
  loaded->ring_.reset(ring_buffer__new(bpf_map__fd(loaded->skeleton_->maps.pressure_records), take,
                                       loaded.get(), nullptr));
  if (!loaded->ring_) {
    return fail_errno(errno, "open the ring of pressure");
  }
  return loaded;
}

Result<> PressureProgram::update(CgroupId cgroup, const PressureListeners& listeners) const {
  const int map = bpf_map__fd(skeleton_->maps.pressure_cgroups);
  const evictd_cgroup_key key{.id = cgroup.id, .hierarchy = cgroup.hierarchy, .pad = 0};
  if (const std::optional<evictd_notify_level> lowest = listeners.lowest_level(cgroup)) {
    const evictd_pressure_cgroup wanted{.lowest = *lowest, .pad = 0};
    if (bpf_map_update_elem(map, &key, &wanted, BPF_ANY) != 0) {
      return fail_errno(errno == E2BIG ? ENOSPC : errno, "write a cgroup");
    }
  } else {
    static_cast<void>(bpf_map_delete_elem(map, &key));
  }
  __atomic_store_n(&skeleton_->bss->pressure_listened,
                   static_cast<std::uint32_t>(listeners.cgroups()), __ATOMIC_RELEASE);
  return {};
}

int PressureProgram::descriptor() const {
  return ring_buffer__epoll_fd(ring_.get());
}

int PressureProgram::take(void* self, void* data, std::size_t size) {
  auto& program = *static_cast<PressureProgram*>(self);
  if (size >= sizeof(evictd_pressure_record) && program.hear_ != nullptr) {
    (*program.hear_)(event_of(*static_cast<const evictd_pressure_record*>(data)));
  }
  return program.turn_.take();
}

bool PressureProgram::drain(const std::function<void(const PressureEvent&)>& hear) {
  hear_ = &hear;
  // Read before the ring: the next drain finds later drops.
  const std::uint64_t dropped = counted(skeleton_->bss->pressure_stats.dropped);
  turn_.begin();
  // Fails only if the callback returns an error, which ours does at the end of its turn.
  static_cast<void>(ring_buffer__consume(ring_.get()));
  hear_ = nullptr;
  const bool lost = dropped != dropped_seen_;
  dropped_seen_ = dropped;
  return lost;
}

evictd_pressure_stats PressureProgram::stats() const {
  const evictd_pressure_stats& kept = skeleton_->bss->pressure_stats;
  return {.windows = counted(kept.windows), .dropped = counted(kept.dropped)};
}

}  // namespace evictd::notify
