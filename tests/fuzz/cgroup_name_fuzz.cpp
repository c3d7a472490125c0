// SPDX-License-Identifier: Apache-2.0
// A path that names a pod goes on to name it when it is cut where the pod ends, and a uid is never
// empty nor has a character that a path or a unit name could not have.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "unit/cluster/cgroup_path.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace evictd::cluster;
  const std::string_view path(reinterpret_cast<const char*>(data), size);
  const auto meaning = parse_cgroup_path(path);
  if (!meaning) {
    return 0;
  }
  const auto again = parse_cgroup_path(path.substr(0, meaning->pod_path_length));
  const bool is_clean = std::none_of(meaning->pod.uid.begin(), meaning->pod.uid.end(),
                                     [](char c) { return c == '/' || c == '_' || c == '.'; });
  if (!again || again->pod.uid != meaning->pod.uid || again->pod.qos != meaning->pod.qos ||
      !again->container_id.empty() || meaning->pod.uid.empty() || !is_clean) {
    std::abort();
  }
  return 0;
}
