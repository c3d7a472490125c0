// SPDX-License-Identifier: Apache-2.0
#include "notify/event_sources.h"

#include <linux/magic.h>
#include <sys/statfs.h>

#include <cerrno>
#include <string_view>

#include "evictd/try.h"
#include "probe/features.h"

namespace evictd::notify {
namespace {

/// Whether the memory controller is in a hierarchy of cgroup v1. Source: /proc/cgroups, where v2
/// has the number 0; "memory	4	17	1".
bool memory_is_on_v1() {
  const std::string text = probe::read_text("/proc/cgroups");
  constexpr std::string_view kLine = "\nmemory\t";
  const std::size_t at = text.find(kLine);
  return at != std::string::npos && at + kLine.size() < text.size() &&
         text[at + kLine.size()] != '0';
}

bool is_on_v2(int directory) {
  struct statfs system {};
  return ::fstatfs(directory, &system) == 0 && system.f_type == CGROUP2_SUPER_MAGIC;
}

}  // namespace

EventSources::EventSources(base::EventLoop& loop, EventSink& sink)
    : loop_(loop), sink_(sink), relay_(loop, sink), oom_files_(loop, sink) {}

EventSources::~EventSources() {
  if (program_) {
    loop_.remove(program_->descriptor(), *this);
  }
}

Result<std::unique_ptr<EventSources>> EventSources::create(base::EventLoop& loop, EventSink& sink,
                                                           Programs programs) {
  std::unique_ptr<EventSources> sources(new EventSources(loop, sink));
  if (memory_is_on_v1()) {
    return sources;
  }
  if (programs == Programs::kNone) {
    sources->no_pressure_because_ =
        "pressure levels cannot be watched: cgroup v2 has no file of them, and no kernel program "
        "is loaded for notifications";
    return sources;
  }
  Result<std::unique_ptr<PressureProgram>> program = PressureProgram::load();
  if (!program) {
    sources->no_pressure_because_ = program.error().context;
    return sources;
  }
  EVICTD_TRY(loop.add((*program)->descriptor(), EPOLLIN, *sources));
  sources->program_ = std::move(*program);
  return sources;
}

std::uint32_t EventSources::signals() const {
  return (1U << EVICTD_NOTIFY_OOM) |
         (no_pressure_because_.empty() ? 1U << EVICTD_NOTIFY_PRESSURE : 0);
}

std::string EventSources::pressure_hook() const {
  return program_ ? program_->hook() : "cgroup.event_control";
}

Result<> EventSources::listen(RegistrationId id, uid_t owner, CgroupId cgroup, const Terms& terms,
                              int directory) {
  if (!is_on_v2(directory)) {
    return relay_.listen(id, terms, directory);
  }
  return terms.signal == EVICTD_NOTIFY_OOM ? oom_files_.listen(id, owner, directory)
                                           : listen_to_program(id, cgroup, terms);
}

Result<> EventSources::listen_to_program(RegistrationId id, CgroupId cgroup, const Terms& terms) {
  if (!program_) {
    return fail_errno(EOPNOTSUPP, no_pressure_because_);
  }
  // Earlier events belong to the earlier listeners.
  drain_program();
  pressure_.add(id, cgroup, terms);
  Result<> told = program_->update(cgroup, pressure_);
  if (!told) {
    pressure_.remove(id);
  }
  return told;
}

void EventSources::on_ready(std::uint32_t /*events*/) {
  drain_program();
}

void EventSources::drain_program() {
  std::vector<RegistrationId> due;
  const bool lost = program_->drain([&](const PressureEvent& event) {
    const std::vector<RegistrationId> hearers = pressure_.hearers(event);
    due.insert(due.end(), hearers.begin(), hearers.end());
  });
  if (lost) {
    // The lost events may concern any listener: signals all.
    pressure_.forget_unfinished_events();
    const std::vector<RegistrationId> all = pressure_.all();
    due.insert(due.end(), all.begin(), all.end());
  }
  if (!due.empty()) {
    sink_.on_events(due);
  }
}

void EventSources::settle(RegistrationId id) {
  relay_.settle(id);
  oom_files_.settle(id);
  if (program_) {
    drain_program();
  }
}

void EventSources::end(RegistrationId id) {
  relay_.end(id);
  oom_files_.end(id);
  if (const std::optional<CgroupId> cgroup = pressure_.remove(id)) {
    // Removing or shrinking an entry cannot fail.
    static_cast<void>(program_->update(*cgroup, pressure_));
  }
}

}  // namespace evictd::notify
