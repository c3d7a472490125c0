// SPDX-License-Identifier: Apache-2.0
// localStorageCapacityIsolation of the kubelet's own file.
#include <gtest/gtest.h>

#include "config/pass_settings.h"
#include "config/reservation.h"
#include "kubelet_sources.h"

namespace evictd::config::test {
namespace {

TEST(LocalStorageIsolation, IsTakenFromTheKubeletsFile) {
  KubeletSources sources;
  sources.file("localStorageCapacityIsolation: off\n");
  const Config config = sources.config();
  EXPECT_FALSE(config->storage.local_storage_capacity_isolation);
  EXPECT_FALSE(pass_settings_of(config).local_storage_isolation);
  EXPECT_TRUE(config.ignored().empty()) << to_string(config.ignored());
}

TEST(LocalStorageIsolation, HoldsUnlessSwitchedOffAndADropInMayTakeThatBack) {
  KubeletSources sources;
  sources.drop_in("a.conf", "localStorageCapacityIsolation: false\n");
  EXPECT_FALSE(pass_settings_of(sources.config()).local_storage_isolation);
  sources.drop_in("b.conf", "localStorageCapacityIsolation: null\n");
  EXPECT_TRUE(pass_settings_of(sources.config()).local_storage_isolation);
  EXPECT_TRUE(pass_settings_of(Config::defaults()).local_storage_isolation);
}

TEST(LocalStorageIsolation, WithoutItNoEphemeralStorageIsReserved) {
  KubeletSources sources;
  sources.file("localStorageCapacityIsolation: false\n");
  EXPECT_EQ(to_yaml_comment(hard_eviction_reservation(sources.config(), {})),
            "# reserved by the hard thresholds:\n"
            "#   memory: 100Mi (100Mi)\n");
}

}  // namespace
}  // namespace evictd::config::test
