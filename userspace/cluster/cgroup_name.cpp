// SPDX-License-Identifier: Apache-2.0
#include "cluster/cgroup_name.h"

#include <algorithm>
#include <array>

namespace evictd::cluster {

namespace {

constexpr std::string_view kKubepods = "kubepods";
constexpr std::string_view kSlice = ".slice";
constexpr std::string_view kPod = "pod";

bool remove_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) {
    return false;
  }
  text.remove_prefix(prefix.size());
  return true;
}

bool remove_suffix(std::string_view& text, std::string_view suffix) {
  if (!text.ends_with(suffix)) {
    return false;
  }
  text.remove_suffix(suffix.size());
  return true;
}

bool is_hex_digit(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

bool is_hex(std::string_view text, std::size_t length) {
  return text.size() == length && std::all_of(text.begin(), text.end(), is_hex_digit);
}

/// The API server creates UUIDs, but a static manifest may have any uid.
bool is_uid(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
  });
}

/// The class of pods directly below `parent`, a pod root or a QoS level.
std::optional<PathQos> qos_below(std::string_view parent) {
  if (is_pod_root_name(parent)) {
    return PathQos::kGuaranteed;
  }
  std::string_view slice = parent;
  if (!remove_suffix(slice, kSlice)) {
    return parse_qos_level(parent, kKubepods);
  }
  const std::string root = std::string(slice.substr(0, slice.rfind('-'))) + std::string(kSlice);
  return is_pod_root_name(root) ? parse_qos_level(parent, root) : std::nullopt;
}

}  // namespace

std::string_view to_string(PathQos qos) {
  switch (qos) {
    case PathQos::kGuaranteed:
      return "Guaranteed";
    case PathQos::kBurstable:
      return "Burstable";
    case PathQos::kBestEffort:
      return "BestEffort";
  }
  return "Guaranteed";
}

std::string_view leaf_of(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

std::string_view parent_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

bool is_pod_root_name(std::string_view name) {
  if (name == kKubepods) {
    return true;
  }
  return remove_suffix(name, kSlice) && (name == kKubepods || name.ends_with("-kubepods"));
}

std::optional<PathQos> parse_qos_level(std::string_view name, std::string_view root) {
  if (remove_suffix(root, kSlice) &&
      !(remove_suffix(name, kSlice) && remove_prefix(name, root) && remove_prefix(name, "-"))) {
    return std::nullopt;
  }
  if (name == "burstable") {
    return PathQos::kBurstable;
  }
  return name == "besteffort" ? std::optional(PathQos::kBestEffort) : std::nullopt;
}

std::optional<PodName> parse_pod_name(std::string_view name, std::string_view parent) {
  const std::optional<PathQos> qos = qos_below(parent);
  if (!qos) {
    return std::nullopt;
  }
  CgroupDriver driver = CgroupDriver::kCgroupfs;
  if (remove_suffix(parent, kSlice)) {
    driver = CgroupDriver::kSystemd;
    if (!remove_suffix(name, kSlice) || !remove_prefix(name, parent) || !remove_prefix(name, "-")) {
      return std::nullopt;
    }
  }
  if (!remove_prefix(name, kPod)) {
    return std::nullopt;
  }
  std::string uid(name);
  if (driver == CgroupDriver::kSystemd) {
    std::replace(uid.begin(), uid.end(), '_', '-');
  }
  if (!is_uid(uid)) {
    return std::nullopt;
  }
  return PodName{std::move(uid), *qos, driver};
}

std::optional<std::string> parse_container_name(std::string_view name) {
  constexpr std::array<std::string_view, 5> kRuntimes = {"cri-containerd-", "crio-", "docker-",
                                                         "libpod-", "pouch-"};
  constexpr std::size_t kIdLength = 64;
  static_cast<void>(remove_suffix(name, ".scope"));
  for (const std::string_view runtime : kRuntimes) {
    if (remove_prefix(name, runtime)) {
      break;
    }
  }
  return is_hex(name, kIdLength) ? std::optional(std::string(name)) : std::nullopt;
}

bool is_static_uid(std::string_view uid) {
  return is_hex(uid, 32);
}

}  // namespace evictd::cluster
