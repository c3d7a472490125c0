// SPDX-License-Identifier: Apache-2.0
#include "kube/kubelet_eviction.h"

#include <nlohmann/json.hpp>

#include "base/json_members.h"
#include "core/rfc3339.h"
#include "eviction/message.h"
#include "eviction/quantity.h"
#include "export/comparison.h"

namespace evictd::kube {

namespace {

using base::list_at;
using base::member_at;
using base::text_at;
using Json = nlohmann::json;

constexpr std::string_view kLowOn = "The node was low on resource: ";
constexpr std::string_view kNotAdmitted = "The node had condition";
constexpr std::string_view kAvailable = ", available: ";
constexpr std::string_view kWasUsing = " was using ";
/// A kubelet writes one sentence per container; a message comes from the network.
constexpr int kMostContainers = 1024;

std::optional<WallTime> disruption_time(const Json& status) {
  for (const Json& condition : list_at(status, "conditions")) {
    if (text_at(condition, "type") == eviction::kDisruptionTarget) {
      const Result<WallTime> time =
          core::wall_time_from_rfc3339(text_at(condition, "lastTransitionTime"));
      return time && exporting::is_comparable(*time) ? std::optional(*time) : std::nullopt;
    }
  }
  return std::nullopt;
}

/// Parses the quantity at the beginning, up to a comma or a space.
std::optional<std::int64_t> amount_at(std::string_view text) {
  std::string_view amount = text.substr(0, text.find_first_of(", "));
  if (amount.ends_with('.')) {
    amount.remove_suffix(1);
  }
  const Result<eviction::Quantity> quantity = eviction::Quantity::parse(amount);
  if (!quantity || quantity->value() < 0 || quantity->value() > exporting::kMostCompared) {
    return std::nullopt;
  }
  return quantity->value();
}

/// The text after `words`; nullopt if `text` does not contain them.
std::optional<std::string_view> behind(std::string_view text, std::string_view words) {
  const std::size_t place = text.find(words);
  return place == std::string_view::npos ? std::nullopt
                                         : std::optional(text.substr(place + words.size()));
}

std::optional<std::int64_t> usage_in(std::string_view message) {
  std::optional<std::int64_t> sum;
  std::optional<std::string_view> rest = behind(message, kWasUsing);
  for (int i = 0; rest && i < kMostContainers; ++i) {
    const std::int64_t usage = amount_at(*rest).value_or(0);
    if (usage > exporting::kMostCompared - sum.value_or(0)) {
      return std::nullopt;
    }
    sum = sum.value_or(0) + usage;
    rest = behind(*rest, kWasUsing);
  }
  return sum;
}

}  // namespace

std::optional<KubeletEviction> kubelet_eviction(const Json& pod) {
  const Json& metadata = member_at(pod, "metadata");
  const Json& status = member_at(pod, "status");
  if (!metadata.is_object() || text_at(status, "phase") != "Failed" ||
      text_at(status, "reason") != eviction::kEvictedReason) {
    return std::nullopt;
  }
  KubeletEviction eviction{.ns = text_at(metadata, "namespace"),
                           .name = text_at(metadata, "name"),
                           .message = text_at(status, "message"),
                           .time = disruption_time(status)};
  return describes_eviction(eviction.message) ? std::optional(std::move(eviction)) : std::nullopt;
}

/// From 1.28 on, "Pod was rejected: " precedes it.
bool describes_eviction(std::string_view message) {
  return message.find(kNotAdmitted) == std::string_view::npos;
}

EvictionAmounts amounts_in(std::string_view message) {
  EvictionAmounts amounts;
  const std::optional<std::string_view> resource = behind(message, kLowOn);
  if (!resource) {
    return amounts;
  }
  const std::string_view name = resource->substr(0, resource->find('.'));
  // Anybody may post an event: ignore anything that is no resource of a kubelet.
  if (name != "memory" && name != "ephemeral-storage" && name != "inodes" && name != "pids") {
    return amounts;
  }
  amounts.resource = name;
  if (const std::optional<std::string_view> available = behind(*resource, kAvailable)) {
    amounts.available = amount_at(*available);
  }
  amounts.usage = usage_in(*resource);
  return amounts;
}

}  // namespace evictd::kube
