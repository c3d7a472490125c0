// SPDX-License-Identifier: Apache-2.0
#include "kube/kubeconfig.h"

#include <gtest/gtest.h>

#include <map>

namespace evictd::kube {
namespace {

constexpr const char* kWhole = R"(apiVersion: v1
kind: Config
current-context: here
preferences: {}
clusters:
- name: c1
  cluster: {server: "https://10.0.0.1:6443/", certificate-authority-data: "Y2E="}
- name: c2
  cluster: {server: "https://[::1]:6443", insecure-skip-tls-verify: true}
users:
- name: u1
  user: {client-certificate: pki/cert.pem, client-key: /keys/key.pem}
- name: u2
  user: {token: secret}
contexts:
- name: here
  context: {cluster: c1, user: u1, namespace: x}
- name: there
  context: {cluster: c2, user: u2}
- name: nowhere
  context: {cluster: c3, user: u2}
)";

Result<ServerAccess> read(const std::string& text, const std::string& context = "") {
  return access_of_kubeconfig(text, "/etc/k/config", context);
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

TEST(Kubeconfig, TheCurrentContextCounts) {
  const auto access = read(kWhole);
  ASSERT_TRUE(access) << access.error().message();
  EXPECT_EQ(access->url, "https://10.0.0.1:6443");
  EXPECT_EQ(access->ca_data, "ca");
  EXPECT_EQ(access->certificate_file, "/etc/k/pki/cert.pem") << "relative to the kubeconfig";
  EXPECT_EQ(access->key_file, "/keys/key.pem");
}

TEST(Kubeconfig, AContextMayBeNamed) {
  const auto access = read(kWhole, "there");
  ASSERT_TRUE(access) << access.error().message();
  EXPECT_EQ(access->url, "https://[::1]:6443");
  EXPECT_TRUE(access->insecure_skip_verify);
  EXPECT_EQ(access->token, "secret");
}

TEST(Kubeconfig, WhatIsWrongIsNamedWithItsLine) {
  EXPECT_EQ(read(kWhole, "elsewhere").error().message(),
            "/etc/k/config:15: contexts: \"elsewhere\": no such entry; allowed: the name of one of "
            "them");
  EXPECT_EQ(read(kWhole, "nowhere").error().message().substr(0, 30),
            "/etc/k/config:5: clusters: \"c3");
  for (const auto& [from, to] : std::map<std::string, std::string>{
           {"https://10.0.0.1:6443/", "10.0.0.1"},
           {"Y2E=", "!"},
           {"client-certificate: pki/cert.pem", "exec: {command: aws}"},
           {"client-certificate: pki/cert.pem", "username: a"},
           {"certificate-authority-data: \"Y2E=\"", "proxy-url: x"},
           {"pki/cert.pem", "[1]"}}) {
    const auto access = read(replaced(kWhole, from, to));
    ASSERT_FALSE(access) << to;
    EXPECT_EQ(access.error().message().substr(0, 14), "/etc/k/config:") << to;
  }
  for (const char* const text : {"", "[]", "5", "clusters: 5\ncurrent-context: a", "\xff"}) {
    EXPECT_FALSE(read(text)) << text;
  }
}

TEST(Kubeconfig, ASecretIsInNoError) {
  const auto access =
      read(replaced(kWhole, "token: secret", "token: secret, client-key-data: se/cret!"), "there");
  ASSERT_FALSE(access);
  EXPECT_EQ(access.error().message().find("cret"), std::string::npos) << access.error().message();
}

TEST(Base64, IsDecoded) {
  EXPECT_EQ(decode_base64("aGVsbG8=").value(), "hello");
  EXPECT_EQ(decode_base64("aGVs\nbG8h").value(), "hello!");
  EXPECT_EQ(decode_base64("").value(), "");
  EXPECT_FALSE(decode_base64("a"));
  EXPECT_FALSE(decode_base64("a*b="));
}

TEST(InClusterAccess, ComesFromTheEnvironment) {
  std::map<std::string, std::string> variables{{"KUBERNETES_SERVICE_HOST", "fd00::1"},
                                               {"KUBERNETES_SERVICE_PORT", "443"}};
  const InCluster cluster{.environment = [&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  }};
  const auto access = access_in_cluster(cluster);
  ASSERT_TRUE(access);
  EXPECT_EQ(access->url, "https://[fd00::1]:443");
  EXPECT_EQ(access->token_file, "/var/run/secrets/kubernetes.io/serviceaccount/token");
  variables["KUBERNETES_SERVICE_PORT"] = "443/evil";
  EXPECT_FALSE(access_in_cluster(cluster));
  variables.clear();
  EXPECT_FALSE(access_in_cluster(cluster));
}

}  // namespace
}  // namespace evictd::kube
