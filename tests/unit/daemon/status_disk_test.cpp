// SPDX-License-Identifier: Apache-2.0
#include "daemon/control/status_disk.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace evictd::daemon {
namespace {

TEST(StatusOfDisks, TheKubeletOf126KnowsNoContainerfs) {
  const std::vector<disk::Role> both{disk::Role::kImageFs, disk::Role::kContainerFs};
  EXPECT_EQ(roles_json(both, eviction::Compat::k1_32).dump(), R"(["imagefs","containerfs"])");
  EXPECT_EQ(roles_json(both, eviction::Compat::k1_26).dump(), R"(["imagefs"])");
}

}  // namespace
}  // namespace evictd::daemon
