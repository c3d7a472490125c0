// SPDX-License-Identifier: Apache-2.0
// Words in which the tests of the pipeline tell their stories.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eviction/parse_thresholds.h"
#include "eviction/pod.h"

namespace evictd::eviction {

using namespace std::chrono_literals;

inline Quantity amount(std::string_view text) {
  return Quantity::parse(text).value();
}

/// pod("web").priority(-1000).memory("1Gi", "1Gi"): one container, described as far as it matters.
class PodBuilder {
 public:
  explicit PodBuilder(std::string name) {
    pod_.uid = "uid-" + name;
    pod_.ns = "default";
    pod_.name = std::move(name);
    pod_.containers.emplace_back().name = "main";
  }
  PodBuilder& priority(std::int32_t priority) {
    pod_.priority = priority;
    return *this;
  }
  PodBuilder& request(const std::string& resource, std::string_view text) {
    pod_.containers[0].requests[resource] = amount(text);
    return *this;
  }
  PodBuilder& limit(const std::string& resource, std::string_view text) {
    pod_.containers[0].limits[resource] = amount(text);
    return *this;
  }
  PodBuilder& memory(std::string_view requested, std::string_view limited) {
    return request("memory", requested).limit("memory", limited);
  }
  /// The same cpu request and limit, which a guaranteed pod must have.
  PodBuilder& cpu(std::string_view text) { return request("cpu", text).limit("cpu", text); }
  PodBuilder& annotation(const std::string& key, std::string value) {
    pod_.annotations[key] = std::move(value);
    return *this;
  }
  PodBuilder& grace(std::int64_t seconds) {
    pod_.termination_grace_seconds = seconds;
    return *this;
  }
  PodBuilder& toleration(Toleration toleration) {
    pod_.tolerations.push_back(std::move(toleration));
    return *this;
  }
  PodBuilder& init(Container container) {
    pod_.init_containers.push_back(std::move(container));
    return *this;
  }
  PodBuilder& volume(Volume volume) {
    pod_.volumes.push_back(std::move(volume));
    return *this;
  }
  operator Pod() const { return pod_; }  // NOLINT(google-explicit-constructor)

 private:
  Pod pod_;
};

inline PodBuilder pod(std::string name) {
  return PodBuilder(std::move(name));
}

/// evictionHard and so on as a configuration has them.
inline std::vector<Threshold> thresholds(const ThresholdTexts& texts) {
  return parse_thresholds(texts, Compat::k1_32).value();
}

}  // namespace evictd::eviction
