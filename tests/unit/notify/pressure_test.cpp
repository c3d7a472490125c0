// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "evictd/abi/notify_pressure.h"
#include "notify/kernel_relay.h"
#include "notify/pressure_listeners.h"

namespace evictd::notify {
namespace {

constexpr CgroupId kChild{.hierarchy = 0, .id = 30};
constexpr CgroupId kMiddle{.hierarchy = 0, .id = 20};
constexpr CgroupId kTop{.hierarchy = 0, .id = 10};

Terms at_level(evictd_notify_level level, evictd_notify_mode mode = EVICTD_NOTIFY_DEFAULT) {
  return {.signal = EVICTD_NOTIFY_PRESSURE, .mode = mode, .threshold = level};
}

using Ids = std::vector<RegistrationId>;

Ids hear(PressureListeners& listeners, evictd_notify_level level,
         std::vector<CgroupId> cgroups = {kChild, kMiddle, kTop}, bool at_source = true) {
  return listeners.hearers({.level = level, .cgroups = std::move(cgroups), .at_source = at_source});
}

TEST(PressureLevel, IsThatOfThePercentageThatCouldNotBeReclaimed) {
  EXPECT_EQ(evictd_notify_level_of(512, 512), EVICTD_NOTIFY_LOW);
  EXPECT_EQ(evictd_notify_level_of(1000, 401), EVICTD_NOTIFY_LOW);
  EXPECT_EQ(evictd_notify_level_of(1000, 400), EVICTD_NOTIFY_MEDIUM);
  EXPECT_EQ(evictd_notify_level_of(1000, 51), EVICTD_NOTIFY_MEDIUM);
  EXPECT_EQ(evictd_notify_level_of(1000, 50), EVICTD_NOTIFY_CRITICAL);
  EXPECT_EQ(evictd_notify_level_of(512, 0), EVICTD_NOTIFY_CRITICAL);
}

TEST(PressureLevel, IsRoundedAsTheKernelRoundsIt) {
  // 59.92 and 94.94 per cent, of which its integer division makes 60 and 95.
  EXPECT_EQ(evictd_notify_level_of(514, 206), EVICTD_NOTIFY_MEDIUM);
  EXPECT_EQ(evictd_notify_level_of(514, 207), EVICTD_NOTIFY_LOW);
  EXPECT_EQ(evictd_notify_level_of(514, 26), EVICTD_NOTIFY_CRITICAL);
  EXPECT_EQ(evictd_notify_level_of(514, 27), EVICTD_NOTIFY_MEDIUM);
}

TEST(PressureLevel, IsLowWhereMoreCameFreeThanWasScanned) {
  EXPECT_EQ(evictd_notify_level_of(512, 600), EVICTD_NOTIFY_LOW);
}

TEST(PressureListeners, HearTheirLevelAndThoseAboveIt) {
  PressureListeners listeners;
  listeners.add(1, kChild, at_level(EVICTD_NOTIFY_LOW));
  listeners.add(2, kChild, at_level(EVICTD_NOTIFY_MEDIUM));
  listeners.add(3, kChild, at_level(EVICTD_NOTIFY_CRITICAL));
  EXPECT_EQ(hear(listeners, EVICTD_NOTIFY_LOW), (Ids{1}));
  EXPECT_EQ(hear(listeners, EVICTD_NOTIFY_MEDIUM), (Ids{1, 2}));
  EXPECT_EQ(hear(listeners, EVICTD_NOTIFY_CRITICAL), (Ids{1, 2, 3}));
}

TEST(PressureListeners, ByDefaultHearOnlyWhatNobodyBelowHeard) {
  PressureListeners listeners;
  listeners.add(1, kChild, at_level(EVICTD_NOTIFY_CRITICAL));
  listeners.add(2, kMiddle, at_level(EVICTD_NOTIFY_LOW));
  listeners.add(3, kTop, at_level(EVICTD_NOTIFY_LOW));
  // That of the child hears no "low", so it goes on.
  EXPECT_EQ(hear(listeners, EVICTD_NOTIFY_LOW), (Ids{2}));
  EXPECT_EQ(hear(listeners, EVICTD_NOTIFY_CRITICAL), (Ids{1}));
}

TEST(PressureListeners, OfOneCgroupDoNotTakeItFromEachOther) {
  PressureListeners listeners;
  listeners.add(1, kMiddle, at_level(EVICTD_NOTIFY_LOW));
  listeners.add(2, kMiddle, at_level(EVICTD_NOTIFY_LOW));
  listeners.add(3, kMiddle, at_level(EVICTD_NOTIFY_LOW, EVICTD_NOTIFY_HIERARCHY));
  EXPECT_EQ(hear(listeners, EVICTD_NOTIFY_LOW), (Ids{1, 2, 3}));
}

TEST(PressureListeners, OfTheHierarchyHearWhoeverElseHeardIt) {
  PressureListeners listeners;
  listeners.add(1, kChild, at_level(EVICTD_NOTIFY_LOW));
  listeners.add(2, kMiddle, at_level(EVICTD_NOTIFY_LOW, EVICTD_NOTIFY_HIERARCHY));
  listeners.add(3, kTop, at_level(EVICTD_NOTIFY_LOW));
  EXPECT_EQ(hear(listeners, EVICTD_NOTIFY_LOW), (Ids{1, 2}));
}

TEST(PressureListeners, OfTheHierarchyBelowTakeItFromTheDefaultOnes) {
  PressureListeners listeners;
  listeners.add(1, kChild, at_level(EVICTD_NOTIFY_LOW, EVICTD_NOTIFY_HIERARCHY));
  listeners.add(2, kTop, at_level(EVICTD_NOTIFY_LOW));
  EXPECT_EQ(hear(listeners, EVICTD_NOTIFY_LOW), (Ids{1}));
}

TEST(PressureListeners, ThatAreLocalHearTheirOwnCgroupOnly) {
  PressureListeners listeners;
  listeners.add(1, kMiddle, at_level(EVICTD_NOTIFY_LOW, EVICTD_NOTIFY_LOCAL));
  listeners.add(2, kTop, at_level(EVICTD_NOTIFY_LOW));
  EXPECT_EQ(hear(listeners, EVICTD_NOTIFY_LOW, {kMiddle, kTop}, false), (Ids{2}));
  EXPECT_EQ(hear(listeners, EVICTD_NOTIFY_LOW, {kMiddle, kTop}, true), (Ids{1}));
}

/// A part of pressure of level "low"; of `window` more follow where it goes on.
PressureEvent part_of(std::uint64_t window, std::vector<CgroupId> cgroups, bool goes_on) {
  return {.level = EVICTD_NOTIFY_LOW,
          .cgroups = std::move(cgroups),
          .at_source = goes_on,
          .window = window,
          .goes_on = goes_on};
}

TEST(PressureListeners, HearALongChainThatComesInPartsAsTheyHearAShortOne) {
  PressureListeners listeners;
  listeners.add(1, kChild, at_level(EVICTD_NOTIFY_LOW));
  listeners.add(2, kTop, at_level(EVICTD_NOTIFY_LOW));
  listeners.add(3, kTop, at_level(EVICTD_NOTIFY_LOW, EVICTD_NOTIFY_HIERARCHY));
  listeners.add(4, kTop, at_level(EVICTD_NOTIFY_LOW, EVICTD_NOTIFY_LOCAL));
  // Of another event, which nobody below hears, something comes in between.
  EXPECT_EQ(listeners.hearers(part_of(1, {kChild}, true)), (Ids{1}));
  EXPECT_EQ(listeners.hearers(part_of(2, {kMiddle}, true)), (Ids{}));
  EXPECT_EQ(listeners.hearers(part_of(2, {kTop}, false)), (Ids{2, 3}));
  EXPECT_EQ(listeners.hearers(part_of(1, {kTop}, false)), (Ids{3}));
  EXPECT_EQ(listeners.hearers(part_of(1, {kTop}, false)), (Ids{2, 3})) << "that event was over";
}

TEST(PressureListeners, WaitForNoPartThatWasLost) {
  PressureListeners listeners;
  listeners.add(1, kChild, at_level(EVICTD_NOTIFY_LOW));
  listeners.add(2, kTop, at_level(EVICTD_NOTIFY_LOW));
  EXPECT_EQ(listeners.hearers(part_of(1, {kChild}, true)), (Ids{1}));
  listeners.forget_unfinished_events();
  EXPECT_EQ(listeners.hearers(part_of(1, {kTop}, false)), (Ids{2}));
}

TEST(PressureListeners, AreForgottenOneByOne) {
  PressureListeners listeners;
  listeners.add(1, kTop, at_level(EVICTD_NOTIFY_CRITICAL));
  listeners.add(2, kTop, at_level(EVICTD_NOTIFY_MEDIUM));
  EXPECT_EQ(listeners.lowest_level(kTop), EVICTD_NOTIFY_MEDIUM);
  EXPECT_EQ(listeners.remove(2), kTop);
  EXPECT_EQ(listeners.lowest_level(kTop), EVICTD_NOTIFY_CRITICAL);
  EXPECT_EQ(listeners.all(), (Ids{1}));
  EXPECT_EQ(listeners.remove(1), kTop);
  EXPECT_EQ(listeners.lowest_level(kTop), std::nullopt);
  EXPECT_EQ(listeners.cgroups(), 0U);
  EXPECT_EQ(listeners.remove(1), std::nullopt);
}

TEST(ControlArguments, AreThoseOfTheKernelsControlFiles) {
  EXPECT_EQ(control_arguments(at_level(EVICTD_NOTIFY_LOW)), "low");
  EXPECT_EQ(control_arguments(at_level(EVICTD_NOTIFY_MEDIUM, EVICTD_NOTIFY_HIERARCHY)),
            "medium,hierarchy");
  EXPECT_EQ(control_arguments(at_level(EVICTD_NOTIFY_CRITICAL, EVICTD_NOTIFY_LOCAL)),
            "critical,local");
  EXPECT_EQ(control_arguments({.signal = EVICTD_NOTIFY_OOM}), "");
}

}  // namespace
}  // namespace evictd::notify
