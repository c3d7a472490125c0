// SPDX-License-Identifier: Apache-2.0
#include "kube/kube_config.h"

#include <gtest/gtest.h>

#include <map>

namespace evictd::kube {
namespace {

std::string problem_with(const std::string& text) {
  const Result<KubeSettings> read = parse_kube_config(text, "kube.yaml");
  return read ? "none" : read.error().message();
}

TEST(KubeConfig, OfAKubeletIsRead) {
  const auto read = parse_kube_config(R"(podSource: kubelet
nodeName: node-1.example
manifestDirectory: /run/x/pods
evictdSocket: none
kubelet:
  url: https://127.0.0.1:10250/
  caFile: /etc/ca.pem
  tokenFile: /etc/token
  pollInterval: 5s
  goneAfter: 1m
log: {format: json, level: warn}
)",
                                      "kube.yaml");
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(read->kubelet.access.url, "https://127.0.0.1:10250");
  EXPECT_EQ(read->kubelet.access.token_file, "/etc/token");
  EXPECT_EQ(read->kubelet.poll_interval, std::chrono::seconds(5));
  EXPECT_EQ(read->kubelet.gone_after, std::chrono::minutes(1));
  EXPECT_EQ(read->log.format, base::LogFormat::kJson);
  EXPECT_EQ(read->evictd_socket, "none");
}

TEST(KubeConfig, OfAModeIsReadWithBothServers) {
  const auto read = parse_kube_config(R"(podSource: kubelet
mode: assist
stateDirectory: /var/lib/x
respectDisruptionBudgets: true
requestsPerSecond: 7
kubelet: {url: "http://127.0.0.1:10255"}
apiServer: {inCluster: true}
)",
                                      "kube.yaml");
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(read->actions.mode, Mode::kAssist);
  EXPECT_EQ(read->actions.state_directory, "/var/lib/x");
  EXPECT_TRUE(read->actions.respects_budgets);
  EXPECT_EQ(read->actions.requests_per_second, 7);
}

TEST(KubeConfig, OfAnApiServerKnowsThreeWays) {
  for (const char* const way : {"inCluster: true", "kubeconfig: /etc/k", "url: http://h:8080",
                                "url: https://h\n  insecureSkipVerify: true"}) {
    EXPECT_EQ(problem_with("podSource: apiserver\napiServer:\n  " + std::string(way)), "none");
  }
}

TEST(KubeConfig, OfARuntimeAndOfWhatIsReclaimedIsRead) {
  const auto read = parse_kube_config(R"(kubelet: {url: "https://h", insecureSkipVerify: true}
runtime: {endpoint: "unix:///run/x.sock", pollInterval: 1m, events: false, placeLink: /run/x}
reclaim:
  minContainerAge: 30s
  maxPerPodContainer: -1
  maxContainers: 20
  imageMinimumGCAge: 5m
  imageGCLowThresholdPercent: 70
)",
                                      "kube.yaml");
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(read->runtime.endpoint, "unix:///run/x.sock");
  EXPECT_EQ(read->runtime.poll_interval, std::chrono::minutes(1));
  EXPECT_FALSE(read->runtime.follows_events);
  EXPECT_EQ(read->runtime.place_link, "/run/x");
  EXPECT_EQ(read->reclaim.containers.min_age, std::chrono::seconds(30));
  EXPECT_EQ(read->reclaim.containers.max_per_pod_container, std::nullopt);
  EXPECT_EQ(read->reclaim.containers.max_containers, 20U);
  EXPECT_EQ(read->reclaim.images.min_age, std::chrono::minutes(5));
  EXPECT_EQ(read->reclaim.images.low_threshold_percent, 70);
}

TEST(KubeConfig, EveryErrorNamesFileLineKeyAndValue) {
  const std::string kubelet = "kubelet: {url: \"https://h\", insecureSkipVerify: true}\n";
  const std::map<std::string, std::string> problems = {
      {kubelet + "podSource: both",
       "kube.yaml:2: podSource: both: not allowed; allowed: "
       "kubelet, apiserver"},
      {kubelet + "nodeNam: x",
       "kube.yaml:2: nodeNam: unknown key; allowed: the nearest is nodeName"},
      {kubelet + "nodeName: a/b",
       "kube.yaml:2: nodeName: a/b: not a node name; allowed: up "
       "to 253 of a-z, 0-9, \"-\" and \".\", as the API server has it"},
      {kubelet + "runtime: {endpoint: \"tcp://h:1\"}",
       "kube.yaml:2: runtime.endpoint: \"tcp://h:1\": not a socket; allowed: none, auto, or /PATH "
       "or unix:///PATH of at most 107 bytes"},
      {kubelet + "manifestDirectory: pods",
       "kube.yaml:2: manifestDirectory: pods: not an absolute path; allowed: an absolute path "
       "without \".\", \"..\" and empty parts"},
      {kubelet + "log: {level: loud}",
       "kube.yaml:2: log.level: loud: not allowed; allowed: debug, info, warn, error"},
      {"podSource: kubelet",
       "kube.yaml:1: kubelet.url: not given; allowed: https://HOST:10250, or "
       "http://HOST:10255 for the read-only port"},
      {"\nkubelet:\n  url: https://h",
       "kube.yaml:2: kubelet.caFile: not given; allowed: caFile, or insecureSkipVerify: true"},
      {"kubelet:\n  url: http://h\n  tokenFile: /t",
       "kube.yaml:1: kubelet.url: credentials for a server that is not https; allowed: https://, "
       "or neither tokenFile nor clientKeyFile"},
      {"podSource: apiserver",
       "kube.yaml:1: apiServer: names no server; allowed: one of "
       "url, kubeconfig and inCluster: true"},
      {kubelet + "mode: assist",
       "kube.yaml:1: apiServer: names no server; allowed: one of "
       "url, kubeconfig and inCluster: true"},
      {kubelet + "mode: assist\nevictdSocket: none\napiServer: {inCluster: true}",
       "kube.yaml:2: mode: without evictd's journal; allowed: evictdSocket: the path of evictd's "
       "control socket"},
      {kubelet + "mode: always",
       "kube.yaml:2: mode: always: not allowed; allowed: none, observe, assist, own"},
      {kubelet + "requestsPerSecond: 0",
       "kube.yaml:2: requestsPerSecond: 0: out of range; allowed: a whole number from 1 "
       "to 1000"},
      {"podSource: apiserver\napiServer: {inCluster: true, kubeconfig: /k}",
       "kube.yaml:2: apiServer: names more than one server; allowed: one of url, kubeconfig "
       "and inCluster: true"},
  };
  for (const auto& [text, problem] : problems) {
    EXPECT_EQ(problem_with(text), problem) << text;
  }
  for (const char* const text :
       {"kubelet: {url: ftp://h}", "kubelet: {url: \"https://h/../x\"}", "kubelet: 5", "[]",
        "kubelet: {url: \"https://h\", pollInterval: 1ns}", "a: &x 1"}) {
    EXPECT_EQ(problem_with(text).substr(0, 10), "kube.yaml:") << text;
  }
}

}  // namespace
}  // namespace evictd::kube
