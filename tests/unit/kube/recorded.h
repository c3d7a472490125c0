// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

namespace evictd::kube::test {

/// What a real kubelet or API server said, tests/data/kube.
inline std::string recorded(const std::string& file) {
  std::ifstream in(std::string(KUBE_TEST_DATA) + "/" + file);
  if (!in) {
    throw std::runtime_error("no " + file);
  }
  return {std::istreambuf_iterator<char>(in), {}};
}

inline std::vector<std::string> recorded_lines(const std::string& file) {
  std::ifstream in(std::string(KUBE_TEST_DATA) + "/" + file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) {
    lines.push_back(line);
  }
  return lines;
}

/// A v1.Pod of node1 as a server has it.
inline std::string pod_json(const std::string& uid, const std::string& version = "5",
                            const std::string& priority = "7") {
  return R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","namespace":"n","uid":")" + uid +
         R"(","resourceVersion":")" + version + R"("},"spec":{"nodeName":"node1","priority":)" +
         priority + R"(,"containers":[{"name":"c"}]},"status":{"phase":"Running"}})";
}

/// A v1.PodList of these.
inline std::string list_json(const std::vector<std::string>& pods, const std::string& version) {
  std::string items;
  for (const std::string& pod : pods) {
    items += (items.empty() ? "" : ",") + pod;
  }
  return R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":")" + version +
         R"("},"items":[)" + items + "]}";
}

}  // namespace evictd::kube::test
