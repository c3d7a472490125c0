// SPDX-License-Identifier: Apache-2.0
#include "kube/observe/evicted_events.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "evictd/try.h"
#include "kube/actions/names.h"
#include "kube/observe/eviction_watch.h"

namespace evictd::kube {

namespace {

/// Limit of one answer: an hour of events of all nodes.
constexpr std::size_t kMostEvents = 65'536;

}  // namespace

EvictedEvents::EvictedEvents(Options options, base::Timer timer)
    : options_(std::move(options)),
      source_({.rules = {.node = options_.node,
                         .max_pods = kMostEvents,
                         .listed = Listed::kEvictedEvents},
               .watch_time = options_.watch_time,
               .silence_limit = options_.silence_limit,
               .sink = this,
               .random = options_.random}),
      timer_(std::move(timer)) {}

Result<std::unique_ptr<EvictedEvents>> EvictedEvents::create(Options options) {
  EVICTD_ASSIGN_OR_RETURN(base::Timer timer, base::Timer::create());
  // make_unique cannot call a private constructor.
  std::unique_ptr<EvictedEvents> events(new EvictedEvents(std::move(options), std::move(timer)));
  EVICTD_TRY(events->prepare());
  return events;
}

Result<> EvictedEvents::prepare() {
  EVICTD_ASSIGN_OR_RETURN(client_, HttpClient::create(*options_.loop, *options_.clock, *this));
  EVICTD_TRY(options_.loop->add(timer_.descriptor(), EPOLLIN, timer_handler_));
  timer_.arm(options_.clock->now());
  return {};
}

EvictedEvents::~EvictedEvents() {
  options_.loop->remove(timer_.descriptor(), timer_handler_);
}

void EvictedEvents::on_timer() {
  if (timer_.consume()) {
    drive();
  }
}

void EvictedEvents::drive() {
  MonoTime now = options_.clock->now();
  if (source_.must_cancel(now)) {
    client_->cancel("cancelled");
    now = options_.clock->now();
  }
  if (const std::optional<Ask> ask = source_.tick(now)) {
    if (const Result<> started = client_->start(*ask, options_.find_access, credential_failures_);
        !started) {
      source_.on_end({.error = started.error()}, options_.clock->now());
    }
  }
  timer_.arm(source_.due());
}

void EvictedEvents::on_head(int status) {
  source_.on_head(status, options_.clock->now());
  timer_.arm(source_.due());
}

bool EvictedEvents::on_data(std::string_view piece) {
  const bool goes_on = source_.on_data(piece, options_.clock->now());
  timer_.arm(source_.due());
  return goes_on;
}

void EvictedEvents::on_end(const Answer& answer) {
  source_.on_end(answer, options_.clock->now());
  timer_.arm(source_.due());
}

void EvictedEvents::on_list(std::vector<PodDocument> pods, MonoTime /*now*/) {
  for (PodDocument& pod : pods) {
    on_pod(std::move(pod));
  }
}

void EvictedEvents::on_pod(PodDocument pod) {
  if (pod.evicted && is_object_name(pod.evicted->ns) && is_object_name(pod.evicted->name)) {
    ++told_;
    options_.on_eviction(compared_eviction(pod.uid, *pod.evicted, options_.clock->wall_now()));
  }
}

nlohmann::ordered_json EvictedEvents::status() const {
  const SourceCounters& counters = source_.counters();
  return {{"problem", problem()},
          {"told", told_},
          {"asked", counters.asked},
          {"failures", counters.failures},
          {"malformed", counters.malformed},
          {"of_other_nodes", counters.foreign_pods},
          {"credential_failures", credential_failures_}};
}

}  // namespace evictd::kube
