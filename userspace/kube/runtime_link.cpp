// SPDX-License-Identifier: Apache-2.0
#include "kube/runtime_link.h"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/json_members.h"
#include "base/json_text.h"
#include "base/one_line.h"
#include "core/rfc3339.h"
#include "cri/endpoint.h"
#include "evictd/try.h"

namespace evictd::kube {

namespace {

using base::integer_at;
using base::member_at;
using base::text_at;
using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

std::int64_t rounded_ms(Duration duration) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
}

bool reports_kill(const Json& line) {
  const std::string state = text_at(line, "state");
  return state == "killed" || state == "released" ||
         (state == "exceeded_grace" && text_at(line, "not_killed").empty());
}

OrderedJson text_or_null(const std::string& text) {
  return text.empty() ? OrderedJson(nullptr) : OrderedJson(base::one_line(text));
}

OrderedJson container_json(const cri::Container& container, const cri::RuntimeReport& report,
                           const ContainerRoles& roles) {
  const auto details = report.details.find(container.id);
  const cri::ContainerDetails known =
      details == report.details.end() ? cri::ContainerDetails{} : details->second;
  const auto role = roles.find(container.name);
  return {
      {"pod_uid", container.pod_uid},
      {"name", container.name},
      {"role", role == roles.end() ? OrderedJson(nullptr) : OrderedJson(to_string(role->second))},
      {"id", container.id},
      {"sandbox", container.sandbox_id},
      {"state", cri::to_string(container.state)},
      {"cgroup", text_or_null(known.cgroup)},
      {"log_path", text_or_null(known.log_path)}};
}

OrderedJson events_json(const cri::EventsReport& events) {
  return {{"state", cri::to_string(events.state)},
          {"problem", base::one_line(events.problem)},
          {"streams", events.counters.streams},
          {"events", events.counters.events}};
}

OrderedJson images_json(const cri::RuntimeReport& report, MonoTime now) {
  OrderedJson all = OrderedJson::array();
  for (const auto& [id, age] : report.image_ages) {
    all.push_back({{"id", id},
                   {"known_ms", rounded_ms(now - age.first_seen)},
                   {"unused_ms", age.last_used ? OrderedJson(rounded_ms(now - *age.last_used))
                                               : OrderedJson(nullptr)}});
  }
  return all;
}

OrderedJson counters_json(const cri::RuntimeReport& report) {
  const cri::RuntimeReport::Counters& counters = report.counters;
  return {{"polls", counters.polls},
          {"failed_polls", counters.failed_polls},
          {"evicted_pods", report.evicted.told},
          {"stopped_sandboxes", counters.stopped_sandboxes},
          {"ended_by_others", counters.ended_by_others},
          {"failed_stops", counters.failed_stops},
          {"retried", report.evicted.retried},
          {"abandoned", report.evicted.abandoned},
          {"waiting", report.waiting}};
}

}  // namespace

std::optional<cri::EvictedPod> killed_pod(std::string_view line) {
  if (line.find("\"progress\"") == std::string_view::npos) {
    return std::nullopt;  // Nearly all lines, without a parser.
  }
  const Result<Json> read = base::parse_json<Json>(line);
  if (!read || text_at(*read, "kind") != "progress" || !reports_kill(*read)) {
    return std::nullopt;
  }
  const std::optional<std::int64_t> id = integer_at(*read, "id");
  const std::string uid = text_at(*read, "uid");
  if (member_at(*read, "dry_run") != false || uid.empty() || !id) {
    return std::nullopt;
  }
  return cri::EvictedPod{
      .id = *id,
      .uid = uid,
      .seen_at = core::wall_time_from_rfc3339(text_at(*read, "time")).value_or(WallTime::max())};
}

Result<std::unique_ptr<RuntimeLink>> RuntimeLink::create(Options options) {
  std::string socket = cri::find_socket(options.settings.endpoint);
  EVICTD_ASSIGN_OR_RETURN(
      std::unique_ptr<cri::RuntimeWorker> worker,
      cri::RuntimeWorker::start({.client = {.channel = {.socket = socket}},
                                 .poll_interval = options.settings.poll_interval,
                                 .follows_events = options.settings.follows_events,
                                 .clock = options.clock}));
  std::unique_ptr<RuntimeLink> link(
      new RuntimeLink(std::move(options), std::move(socket), std::move(worker)));
  EVICTD_TRY(link->options_.loop->add(link->worker_->descriptor(), EPOLLIN, link->handler_));
  return link;
}

RuntimeLink::RuntimeLink(Options options, std::string socket,
                         std::unique_ptr<cri::RuntimeWorker> worker)
    : options_(std::move(options)),
      socket_(std::move(socket)),
      worker_(std::move(worker)),
      links_(options_.settings.place_link) {}

RuntimeLink::~RuntimeLink() {
  options_.loop->remove(worker_->descriptor(), handler_);
}

void RuntimeLink::on_line(std::string_view line) {
  if (std::optional<cri::EvictedPod> pod = killed_pod(line)) {
    // The line may be a repeated old one; the pod may have been restarted since.
    pod->seen_at = std::min(pod->seen_at, options_.clock->wall_now());
    worker_->end_pod(*pod);
  }
}

void RuntimeLink::on_changed() {
  worker_->told();
  const cri::RuntimeReport report = worker_->report();
  problem_ = base::one_line(report.problem);
  events_problem_ = base::one_line(report.events.problem);
  links_.update(report.places);
}

OrderedJson RuntimeLink::containers_json(const cri::RuntimeReport& report) const {
  std::map<std::string, std::uint64_t> layers;
  for (const cri::LayerUsage& layer : report.layers) {
    if (layer.bytes) {
      layers.emplace(layer.container_id, *layer.bytes);
    }
  }
  OrderedJson all = OrderedJson::array();
  for (const cri::Container& container : report.containers) {
    OrderedJson one = container_json(container, report, options_.roles_in(container.pod_uid));
    const auto layer = layers.find(container.id);
    one["layer_bytes"] = layer == layers.end() ? OrderedJson(nullptr) : OrderedJson(layer->second);
    all.push_back(std::move(one));
  }
  return all;
}

OrderedJson RuntimeLink::status(MonoTime now) const {
  const cri::RuntimeReport report = worker_->report();
  const cri::RuntimeVersion version = report.version.value_or(cri::RuntimeVersion{});
  return {{"endpoint", socket_},
          {"name", text_or_null(version.name)},
          {"version", text_or_null(version.version)},
          {"api", text_or_null(version.api)},
          {"problem", base::one_line(report.problem)},
          {"polled_ms_ago", report.polled_at ? OrderedJson(rounded_ms(now - *report.polled_at))
                                             : OrderedJson(nullptr)},
          {"image_place", text_or_null(report.places.images)},
          {"container_place", text_or_null(report.places.containers)},
          {"place_link", links_.path()},
          {"place_problem", base::one_line(links_.problem())},
          {"place_changes", links_.counters().changed},
          {"place_failures", links_.counters().failures},
          {"events", events_json(report.events)},
          {"counters", counters_json(report)},
          {"containers", containers_json(report)},
          {"images", images_json(report, now)}};
}

}  // namespace evictd::kube
