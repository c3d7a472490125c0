// SPDX-License-Identifier: Apache-2.0
#include "engine/newer_readings.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <vector>

namespace evictd::engine {
namespace {

using Role = eviction::FilesystemRole;
using eviction::Signal;

/// nodefs and imagefs past their grace; memory too, which has no filesystem.
class TwoFullDisks : public testing::Test {
 protected:
  static constexpr std::size_t kMemory = 0;
  static constexpr std::size_t kNodeFs = 1;
  static constexpr std::size_t kImageFs = 2;

  /// After a pass in which those of `fresh` had a newer reading.
  std::vector<Role> asked_with(std::initializer_list<std::size_t> fresh) {
    eviction::Decision decision;
    for (const std::size_t place : {kMemory, kNodeFs, kImageFs}) {
      decision.past_grace.add(place);
    }
    for (const std::size_t place : fresh) {
      decision.actionable.add(place);
    }
    const NewerReadings::Roles asked = newer_.to_ask(decision, thresholds_);
    std::vector<Role> roles;
    for (const Role role : eviction::kAllFilesystemRoles) {
      if (asked.at(static_cast<std::size_t>(role))) {
        roles.push_back(role);
      }
    }
    return roles;
  }
  static eviction::ThresholdTable table() {
    std::vector<eviction::Threshold> thresholds(3);
    thresholds[kMemory].signal = Signal::kMemoryAvailable;
    thresholds[kNodeFs].signal = Signal::kNodeFsAvailable;
    thresholds[kImageFs].signal = Signal::kImageFsAvailable;
    return eviction::ThresholdTable::create(thresholds).value();
  }

  const eviction::ThresholdTable thresholds_ = table();
  NewerReadings newer_;
};

TEST_F(TwoFullDisks, OnlyTheOneWithoutANewerReadingIsAsked) {
  newer_.require_newer();
  EXPECT_EQ(asked_with({kMemory, kNodeFs}), std::vector{Role::kImageFs});
}

TEST_F(TwoFullDisks, TheirAnswersDoNotWakeEachOthersPassesForEver) {
  newer_.require_newer();
  EXPECT_EQ(asked_with({kMemory}), (std::vector{Role::kNodeFs, Role::kImageFs}));
  EXPECT_EQ(asked_with({kNodeFs}), std::vector{Role::kImageFs});
  EXPECT_EQ(asked_with({kImageFs}), std::vector<Role>{});
  EXPECT_EQ(asked_with({kNodeFs}), std::vector<Role>{});
  EXPECT_EQ(asked_with({}), std::vector<Role>{});
}

TEST_F(TwoFullDisks, AreAskedAgainForWhatHappensLater) {
  newer_.require_newer();
  EXPECT_EQ(asked_with({kNodeFs, kImageFs}), std::vector<Role>{});
  newer_.require_newer();
  EXPECT_EQ(asked_with({}), (std::vector{Role::kNodeFs, Role::kImageFs}));
}

}  // namespace
}  // namespace evictd::engine
