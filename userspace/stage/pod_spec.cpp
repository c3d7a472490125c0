// SPDX-License-Identifier: Apache-2.0
#include "stage/pod_spec.h"

#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <random>

namespace evictd::stage {
namespace {

const char* name_of(QosClass qos) {
  switch (qos) {
    case QosClass::kGuaranteed:
      return "Guaranteed";
    case QosClass::kBurstable:
      return "Burstable";
    case QosClass::kBestEffort:
      return "BestEffort";
  }
  return "";
}

/// Also requests CPU, because a pod is Guaranteed only if both resources have equal limits.
nlohmann::json resources(const PodSpec& spec) {
  nlohmann::json result = nlohmann::json::object();
  if (spec.memory_request.value > 0) {
    result["requests"] = {{"memory", std::to_string(spec.memory_request.value)}, {"cpu", "100m"}};
  }
  if (spec.memory_limit.value > 0) {
    result["limits"] = {{"memory", std::to_string(spec.memory_limit.value)}};
  }
  if (spec.qos == QosClass::kGuaranteed) {
    result["limits"] = result["requests"];
  }
  return result;
}

nlohmann::json with_volumes(nlohmann::json pod, const PodSpec& spec) {
  if (spec.empty_dir) {
    nlohmann::json empty_dir = nlohmann::json::object();
    if (spec.empty_dir_limit.value > 0) {
      empty_dir["sizeLimit"] = std::to_string(spec.empty_dir_limit.value);
    }
    pod["spec"]["volumes"] = {{{"name", kEmptyDirName}, {"emptyDir", empty_dir}}};
  }
  return pod;
}

}  // namespace

std::string manifest(const PodSpec& spec, const std::string& uid) {
  const nlohmann::json pod = {
      {"apiVersion", "v1"},
      {"kind", "Pod"},
      {"metadata",
       {{"name", spec.name},
        {"namespace", "default"},
        {"uid", uid},
        {"annotations", {{"kubernetes.io/config.source", "api"}}}}},
      {"spec",
       {{"priority", spec.priority},
        {"terminationGracePeriodSeconds", spec.termination_grace_seconds},
        {"containers",
         {{{"name", "main"}, {"image", "evict-load"}, {"resources", resources(spec)}}}}}},
      {"status", {{"phase", "Running"}, {"qosClass", name_of(spec.qos)}}}};
  return with_volumes(pod, spec).dump(2) + "\n";
}

std::string random_uid() {
  std::random_device entropy;
  std::array<char, 37> text{};
  const auto draw = [&entropy] { return static_cast<unsigned>(entropy()); };
  std::snprintf(text.data(), text.size(), "%08x-%04x-4%03x-%04x-%08x%04x", draw(), draw() & 0xffffU,
                draw() & 0xfffU, (draw() & 0x3fffU) | 0x8000U, draw(), draw() & 0xffffU);
  return text.data();
}

}  // namespace evictd::stage
