// SPDX-License-Identifier: Apache-2.0
// Eviction loops in the format of the queue's file.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/json_members.h"
#include "core/rfc3339.h"
#include "evictd/try.h"
#include "export/comparison.h"
#include "export/json_time.h"
#include "kube/actions/eviction_loops.h"
#include "kube/pod_document.h"

namespace evictd::kube {

namespace {

using base::count_at;
using base::text_at;
using Json = nlohmann::json;

std::optional<WallTime> time_at(const Json& json, const char* name) {
  const Result<WallTime> time = core::wall_time_from_rfc3339(text_at(json, name));
  return time && exporting::is_comparable(*time) ? std::optional(*time) : std::nullopt;
}

Json eviction_json(const EvictionLoops::Eviction& eviction) {
  return {
      {"pod_uid", eviction.pod_uid}, {"id", eviction.id}, {"at", exporting::rfc3339(eviction.at)}};
}

std::optional<EvictionLoops::Eviction> read_eviction(const Json& json) {
  const std::optional<WallTime> at = json.is_object() ? time_at(json, "at") : std::nullopt;
  if (!at || !is_file_name(text_at(json, "pod_uid"))) {
    return std::nullopt;
  }
  return EvictionLoops::Eviction{
      .pod_uid = text_at(json, "pod_uid"), .id = count_at(json, "id"), .at = *at};
}

Json known_json(const EvictionLoops::Known& known) {
  Json evictions = Json::array();
  for (const EvictionLoops::Eviction& eviction : known.evictions) {
    evictions.push_back(eviction_json(eviction));
  }
  return {{"controller", to_json(known.controller)},
          {"evictions", std::move(evictions)},
          {"uncounted", known.uncounted},
          {"loops", known.loops},
          {"looped_at", exporting::rfc3339(known.looped_at)}};
}

std::optional<EvictionLoops::Known> read_known(const Json& json) {
  if (!json.is_object()) {
    return std::nullopt;
  }
  Result<Controller> controller = controller_from_json(json.value("controller", Json()));
  const Json evictions = json.value("evictions", Json());
  if (!controller || !evictions.is_array()) {
    return std::nullopt;
  }
  EvictionLoops::Known known{.controller = std::move(*controller)};
  for (const Json& one : evictions) {
    if (std::optional<EvictionLoops::Eviction> eviction = read_eviction(one)) {
      known.evictions.push_back(std::move(*eviction));
    }
  }
  known.uncounted = std::min(std::size_t{count_at(json, "uncounted")}, known.evictions.size());
  known.loops = count_at(json, "loops");
  known.looped_at = time_at(json, "looped_at").value_or(WallTime{});
  return known;
}

}  // namespace

Json EvictionLoops::to_json() const {
  Json list = Json::array();
  for (const Known& known : controllers_) {
    list.push_back(known_json(known));
  }
  const auto damping = std::chrono::duration_cast<std::chrono::seconds>(damping_);
  return {{"controllers", std::move(list)},
          {"damped_until", exporting::rfc3339(damped_until_)},
          {"next_damping_s", static_cast<std::uint64_t>(damping.count())}};
}

void EvictionLoops::take_json(const Json& json) {
  if (!json.is_object()) {
    return;
  }
  controllers_.clear();
  if (const Json list = json.value("controllers", Json()); list.is_array()) {
    for (const Json& one : list) {
      if (std::optional<Known> known = read_known(one)) {
        controllers_.push_back(std::move(*known));
      }
    }
  }
  damped_until_ = time_at(json, "damped_until").value_or(WallTime{});
  constexpr auto kLongest = std::chrono::duration_cast<std::chrono::seconds>(kLongestDamping);
  const std::uint64_t next = std::min<std::uint64_t>(count_at(json, "next_damping_s"),
                                                     static_cast<std::uint64_t>(kLongest.count()));
  damping_ = std::max<Duration>(kFirstDamping, std::chrono::seconds(next));
}

Json to_json(const ControlledEviction& eviction) {
  return {{"controller", to_json(eviction.controller)},
          {"pod_uid", eviction.pod_uid},
          {"id", eviction.id},
          {"at", exporting::rfc3339(eviction.at)}};
}

Result<ControlledEviction> controlled_eviction_from_json(const Json& json) {
  std::optional<EvictionLoops::Eviction> eviction = read_eviction(json);
  if (!eviction) {
    return fail(Errc::kMalformed, "not an eviction of a controller's pod");
  }
  EVICTD_ASSIGN_OR_RETURN(Controller controller,
                          controller_from_json(json.value("controller", Json())));
  return ControlledEviction{.controller = std::move(controller),
                            .pod_uid = std::move(eviction->pod_uid),
                            .id = eviction->id,
                            .at = eviction->at};
}

}  // namespace evictd::kube
