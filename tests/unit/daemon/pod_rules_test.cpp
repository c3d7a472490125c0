// SPDX-License-Identifier: Apache-2.0
#include "daemon/pods/pod_rules.h"

#include <gtest/gtest.h>

#include <string>

namespace evictd::daemon {
namespace {

cluster::PodCgroup globbed(std::string path) {
  cluster::PodCgroup cgroup;
  cgroup.path = std::move(path);
  cgroup.external_rule = 0;
  return cgroup;
}

TEST(PodPlace, OfAPodOfKubernetesIsBelowThePodRoot) {
  cluster::PodCgroup pod;
  pod.path = "/kubepods/pod1";
  EXPECT_TRUE(is_below_pod_root(pod, "/kubepods"));
}

TEST(PodPlace, OfAGlobbedCgroupIsBelowThePodRootOnlyWhereItsPathIs) {
  EXPECT_FALSE(is_below_pod_root(globbed("/jobs/a"), "/kubepods"));
  EXPECT_FALSE(is_below_pod_root(globbed("/kubepods-jobs/a"), "/kubepods"));
  EXPECT_FALSE(is_below_pod_root(globbed("/jobs/a"), ""));
  EXPECT_TRUE(is_below_pod_root(globbed("/kubepods/jobs"), "/kubepods"));
}

}  // namespace
}  // namespace evictd::daemon
