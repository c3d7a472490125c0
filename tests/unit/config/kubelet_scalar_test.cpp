// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "kubelet_sources.h"

namespace evictd::config::test {
namespace {

TEST(YamlFloat, IsAWholeNumberInTheKubeletsYamlAloneAndNotInJson) {
  KubeletSources file;
  file.file("evictionMaxPodGracePeriod: 1e2\nmaxPods: 5.0\ntlsCurvePreferences: [2.3e1]\n");
  EXPECT_EQ(file.error(), "");
  EXPECT_EQ(file.config()->eviction.max_pod_grace_period.count(), 100);
  KubeletSources drop_in;
  drop_in.drop_in("1.conf", "evictionMaxPodGracePeriod: 3.0\n");
  EXPECT_EQ(drop_in.config()->eviction.max_pod_grace_period.count(), 3);
  constexpr const char* kAllowed = "; allowed: a whole number from -2147483648 to 2147483647";
  EXPECT_EQ(KubeletSources().file("maxPods: 5.5\n").error(),
            std::string("kubelet.yaml:3: maxPods: 5.5: not a whole number, it has a fraction") +
                kAllowed);
  EXPECT_EQ(KubeletSources().file("maxPods: 1e10\n").error(),
            std::string("kubelet.yaml:3: maxPods: 1e10: out of range") + kAllowed);
  EXPECT_EQ(KubeletSources().file("maxPods: 1e30\n").error(),
            std::string("kubelet.yaml:3: maxPods: 1e30: not a whole number in range") + kAllowed);
  const std::string json =
      R"( {"kind": "KubeletConfiguration", "apiVersion": "kubelet.config.k8s.io/v1beta1",)";
  EXPECT_EQ(KubeletSources().raw_file(json + R"("maxPods": 1.1e2})").error(),
            std::string("kubelet.yaml:1: maxPods: 1.1e2: a whole number with a point or an "
                        "exponent, which the kubelet refuses in JSON") +
                kAllowed);
  EXPECT_EQ(KubeletSources().flags({"--eviction-max-pod-grace-period=1e2"}).error(),
            "flag --eviction-max-pod-grace-period: evictionMaxPodGracePeriod: \"1e2\": not a whole "
            "number; allowed: a whole number");
}

TEST(WholeNumber, IsReadSoInTheKubeletsFileAndFlags) {
  KubeletSources file;
  file.file("evictionMaxPodGracePeriod: 1_000\nmaxPods: 0b1_0\n");
  EXPECT_EQ(file.error(), "");
  EXPECT_EQ(file.config()->eviction.max_pod_grace_period.count(), 1000);
  KubeletSources flag;
  flag.flags({"--eviction-max-pod-grace-period=1_000"});
  EXPECT_EQ(flag.config()->eviction.max_pod_grace_period.count(), 1000);
  for (const std::string& text : {std::string("1__0"), std::string("10_"), std::string("_1")}) {
    EXPECT_EQ(KubeletSources().file("maxPods: " + text + "\n").error(),
              "kubelet.yaml:3: maxPods: " + text +
                  ": not a whole number; allowed: a whole number from -2147483648 to 2147483647");
    EXPECT_EQ(KubeletSources().flags({"--eviction-max-pod-grace-period=" + text}).error(),
              "flag --eviction-max-pod-grace-period: evictionMaxPodGracePeriod: \"" + text +
                  "\": not a whole number; allowed: a whole number");
  }
}

}  // namespace
}  // namespace evictd::config::test
