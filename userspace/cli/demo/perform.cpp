// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <chrono>

#include "base/system_clock.h"
#include "demo/crossing.h"
#include "demo/hog_rate.h"
#include "demo/play.h"
#include "demo/task_growth.h"
#include "evictd/try.h"

namespace evictd::demo {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// A poll of 10 s, a soft grace of 2 s and the delay of a busy machine; the pod's grace is added.
constexpr seconds kPatience{60};
/// The housekeeping thread writes the record when the victim's memory is freed.
constexpr seconds kRecordPatience{10};
constexpr seconds kFreedPatience{10};
constexpr milliseconds kLook{5};

MonoTime now() {
  return base::SystemClock{}.now();
}

}  // namespace

Result<std::string> Play::await_first_death() {
  std::vector<pollfd> watched{{signals_, POLLIN, 0}, {daemon_->pidfd(), POLLIN, 0}};
  std::vector<Actor*> actors{&*hog_};
  for (Actor& bystander : bystanders_) {
    actors.push_back(&bystander);
  }
  for (const Actor* actor : actors) {
    watched.push_back({actor->load.child().pidfd(), POLLIN, 0});
  }
  const MonoTime deadline = now() + kPatience + 2 * seconds{grace_seconds()};
  while (now() < deadline) {
    const int ready = ::poll(watched.data(), watched.size(), 100);
    if (ready <= 0) {
      announce_crossing();
      continue;
    }
    if (watched[0].revents != 0) {
      return fail(Errc::kBusy, "interrupted");
    }
    for (std::size_t i = 0; i < actors.size(); ++i) {
      if (watched[i + 2].revents != 0) {
        static_cast<void>(actors[i]->load.child().wait(seconds{1}));
        return actors[i]->pod.spec.name;
      }
    }
    if (watched[1].revents != 0) {
      return daemon_died();
    }
  }
  return std::string{};
}

Failure Play::daemon_died() const {
  // Without --keep the log is removed before anybody can read it.
  return fail(Errc::kIo, options_.keep ? "evictd died; its log: " + daemon_->log().string()
                                       : "evictd died; its log ends: " + daemon_->end_of_log());
}

void Play::announce_crossing() {
  const std::optional<load::LoadStamp> last = hog_->load.stamps().last();
  if (!announced_ && last && last->usage > threshold_) {
    announced_ = true;
    say_("the threshold is passed; waiting for evictd");
  }
}

void Play::announce(const std::string& what, const std::optional<MonoTime>& at) const {
  const std::optional<MonoTime> crossing = on_disk() ? std::nullopt : crossing_seen_by({});
  if (!crossing || !at) {
    say_(what);
    return;
  }
  const auto us = std::chrono::duration<double, std::micro>(*at - *crossing);
  say_(fmt::format("{}, {:.1f} us after the crossing", what, us.count()));
}

void Play::announce_death(const std::string& victim) const {
  if (!victim.empty()) {
    const std::optional<stage::ChildExit>& hog = hog_->load.child().ended();
    announce(victim + " has ended",
             victim == script_.hog.name && hog ? std::optional(hog->at) : std::nullopt);
  }
}

std::optional<MonoTime> Play::crossing_seen_by(const Testimony& testimony) const {
  const load::StampLog& stamps = hog_->load.stamps();
  return crossing_of({.threshold = threshold_,
                      .reach = reach_,
                      .witnessed = pids() ? testimony.most_tasks : testimony.highest.value,
                      .first_past = stamps.first_where([this](const load::LoadStamp& stamp) {
                        return stamp.usage > threshold_;
                      }),
                      .last = stamps.last()});
}

std::optional<EvictionRecord> Play::await_record(const std::string& uid) {
  std::optional<EvictionRecord> found;
  for (const MonoTime deadline = now() + kRecordPatience; now() < deadline;) {
    const Result<std::string> answer = daemon_->ask(R"({"op":"last_evictions"})");
    const Result<std::vector<EvictionRecord>> records =
        answer ? parse_evictions(*answer) : tl::unexpected(answer.error());
    if (records) {
      found = eviction_of(*records, uid);
    }
    // Memory that stayed charged to its cgroup for a while is not reported as freed.
    if ((found && (found->freed || (tmpfs() && found->exited))) || signalled_within(kLook)) {
      break;
    }
  }
  return found;
}

void Play::add_hold(EvictionRecord& record) const {
  if (const Result<std::string> answer = daemon_->ask(R"({"op":"records"})")) {
    record.held_for_usage = held_for_usage(*answer, record);
  }
}

void Play::add_crossing(Evidence& evidence, const Testimony& testimony) const {
  const load::StampLog& stamps = hog_->load.stamps();
  std::int64_t most = pids() ? testimony.most_tasks : testimony.highest.value;
  for (std::uint64_t n = stamps.first_kept(); n < stamps.count(); ++n) {
    most = std::max(most, stamps.at(n).value_or(load::LoadStamp{}).usage);
  }
  evidence.crossing = crossing_seen_by(testimony);
  if (stamps.count() != 0) {
    evidence.short_of = short_of(threshold_, most);
  }
  evidence.rate = typical_rate(batches_of(stamps));
  if (!pids()) {
    evidence.overshoot = Bytes{std::max<std::int64_t>(0, most - threshold_)};
    evidence.bytes_per_second = stamps.rate_per_second();
    return;
  }
  add_task_growth(evidence, testimony,
                  {.threshold = threshold_,
                   .most_tasks = most,
                   .forks = stamps.last().value_or(load::LoadStamp{}).total});
}

Result<Evidence> Play::perform() {
  if (on_disk()) {
    return perform_on_disk();
  }
  WitnessOptions watched{
      tree_->memory_directory() / tree_->hierarchies().usage_file(),
      tree_->hierarchies().memory / hog_->pod.pod / tree_->hierarchies().usage_file()};
  if (pids()) {
    watched.root_tasks = tree_->pids_directory() / "pids.current";
    watched.root_most_tasks = tree_->pids_directory() / "pids.peak";
  }
  EVICTD_ASSIGN_OR_RETURN(Witness witness, Witness::start(watched));
  say_(script_.hog.name + " misbehaves at full speed and ignores SIGTERM");
  hog_->load.go();
  EVICTD_ASSIGN_OR_RETURN(const std::string victim, await_first_death());
  witness.hog_is_dead();
  announce_death(victim);
  const bool somebody_died = !victim.empty();
  if (tmpfs() && victim == script_.hog.name) {
    watch_what_stays_charged();
  }
  const Testimony testimony = witness.finish(somebody_died ? kFreedPatience : Duration{0});
  if (testimony.freed && victim == script_.hog.name) {
    announce("its memory is back", testimony.freed);
  }
  Evidence evidence;
  evidence.freed = testimony.freed;
  evidence.headroom = sizes_.headroom;
  evidence.tasks_headroom = sizes_.tasks_headroom;
  add_crossing(evidence, testimony);
  EVICTD_TRY(add_what_happened(evidence, victim));
  return evidence;
}

Result<> Play::add_what_happened(Evidence& evidence, const std::string& victim) {
  evidence.victim = victim;
  if (victim == script_.hog.name) {
    evidence.exit = hog_->load.child().ended()->at;
    evidence.record = await_record(hog_->pod.uid);
    if (evidence.record && on_disk()) {
      add_hold(*evidence.record);
    }
  } else {
    evidence.freed.reset();
  }
  evidence.scenario = options_.scenario;
  evidence.event_source = options_.event_source;
  evidence.grace_seconds = grace_seconds();
  evidence.expected_victim = script_.expected_victim;
  evidence.unmanaged_rate = unmanaged_rate_;
  evidence.other_deaths = std::count_if(
      bystanders_.begin(), bystanders_.end(),
      [&](const Actor& a) { return a.pod.spec.name != victim && !a.load.child().lives(); });
  EVICTD_ASSIGN_OR_RETURN(const std::int64_t oom_kills, tree_->oom_kills());
  evidence.oom_kills = oom_kills;
  return {};
}

}  // namespace evictd::demo
