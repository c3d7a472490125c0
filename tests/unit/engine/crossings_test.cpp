// SPDX-License-Identifier: Apache-2.0
#include "engine/crossings.h"

#include <gtest/gtest.h>

#include <chrono>

#include "unit/engine/moments.h"

namespace evictd::engine {
namespace {

using std::chrono::milliseconds;

/// A pass in which threshold 1 was met, for its grace period or not yet.
eviction::Decision with_one_met(bool past_grace) {
  eviction::Decision decision;
  decision.met.add(1);
  if (past_grace) {
    decision.past_grace.add(1);
  }
  return decision;
}

TEST(Crossings, TheFirstSinceTheLastPassIsTheOneThatWokeIt) {
  Crossings crossings;
  EXPECT_EQ(crossings.of(1), MonoTime{});
  crossings.note(1, kNow);
  crossings.note(1, kNow + milliseconds(3));
  EXPECT_EQ(crossings.of(1), kNow);
  EXPECT_EQ(crossings.of(0), MonoTime{});
  EXPECT_EQ(crossings.of(eviction::kMaxThresholds), MonoTime{});
}

TEST(Crossings, FloorCrossingIsNotTheHeldThresholdsCrossing) {
  Crossings crossings;
  crossings.note(1, kNow);
  eviction::Decision held = with_one_met(/*past_grace=*/true);
  held.outcome = eviction::Outcome::kHeld;
  crossings.forget_judged(held);
  crossings.note(1, kNow + milliseconds(116));
  EXPECT_EQ(crossings.of(1), kNow + milliseconds(116));
}

TEST(Crossings, EvictionAfterGraceIsDueToTheCrossingThatBeganIt) {
  Crossings crossings;
  crossings.note(1, kNow);
  eviction::Decision waiting = with_one_met(/*past_grace=*/false);
  waiting.outcome = eviction::Outcome::kInGrace;
  crossings.forget_judged(waiting);
  EXPECT_EQ(crossings.of(1), kNow);
}

TEST(Crossings, WhatAPassFindsNotMetIsForgotten) {
  Crossings crossings;
  crossings.note(1, kNow);
  crossings.note(2, kNow);
  crossings.forget_judged(with_one_met(/*past_grace=*/false));
  EXPECT_EQ(crossings.of(1), kNow);
  EXPECT_EQ(crossings.of(2), MonoTime{});
}

TEST(Crossings, OfAPassThatEvictedNobodyTheFirstThresholdThatIsMetTells) {
  Crossings crossings;
  crossings.note(1, kNow);
  crossings.note(2, kNow + milliseconds(3));
  eviction::Decision decision = with_one_met(/*past_grace=*/false);
  decision.met.add(2);
  EXPECT_EQ(crossings.of(decision), kNow);
  decision.threshold = 2;
  EXPECT_EQ(crossings.of(decision), kNow + milliseconds(3)) << "the one acted on";
  EXPECT_EQ(crossings.of(eviction::Decision{}), MonoTime{});
}

TEST(Crossings, PlacesOfAnotherTableAreForgotten) {
  Crossings crossings;
  crossings.note(1, kNow);
  crossings.clear();
  EXPECT_EQ(crossings.of(1), MonoTime{});
}

}  // namespace
}  // namespace evictd::engine
