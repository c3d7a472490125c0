// SPDX-License-Identifier: Apache-2.0
#include "disk/sampler.h"

#include <gtest/gtest.h>
#include <poll.h>

#include "base/system_clock.h"
#include "disk/filesystems.h"
#include "eviction/parse_thresholds.h"

namespace evictd::disk {
namespace {

/// For failures only.
constexpr int kPatienceMs = 60'000;

bool woken(int descriptor) {
  pollfd ready{.fd = descriptor, .events = POLLIN, .revents = 0};
  return ::poll(&ready, 1, kPatienceMs) > 0;
}

Places everything_at(const std::string& path) {
  Places places;
  for (Place& place : places) {
    place = {.path = path, .origin = "test", .mount_point = path, .device = "1:1", .type = "x"};
  }
  return places;
}

std::unique_ptr<Filesystems> sampled(const std::string& path) {
  SampleWatch watch;
  watch.sampling.longest = std::chrono::hours(1);
  return Filesystems::start({.places = everything_at(path), .watch = watch}).value();
}

TEST(Sampler, OneFilesystemIsAskedOnceForAllItServes) {
  const auto filesystems = sampled("/");
  ASSERT_TRUE(woken(filesystems->descriptor()));
  const MonoTime read_at = filesystems->all_asked_at().value();
  for (const Role role : kAllRoles) {
    const auto statistics = filesystems->statistics(role, read_at);
    ASSERT_TRUE(statistics);
    EXPECT_GT(statistics->capacity_bytes.value_or(0), 0U);
  }
  const auto reports = filesystems->report(read_at);
  ASSERT_EQ(reports.size(), 1U);
  EXPECT_EQ(reports[0].roles.size(), kRoles);
}

TEST(Sampler, HasAReadingOfEachFilesystemOnceTheFirstWasAwaited) {
  const base::SystemClock clock;
  const auto filesystems = sampled("/");
  filesystems->await_first(clock.now() + std::chrono::milliseconds(kPatienceMs));
  EXPECT_TRUE(filesystems->all_asked_at());
}

TEST(Sampler, AwaitsNoFirstReadingWhereAskingFails) {
  const base::SystemClock clock;
  const auto filesystems = sampled("/nonexistent/filesystem");
  filesystems->await_first(clock.now() + std::chrono::milliseconds(kPatienceMs));
  EXPECT_FALSE(filesystems->all_asked_at());
}

TEST(Sampler, AnswersARequestWithANewerReading) {
  const auto filesystems = sampled("/");
  ASSERT_TRUE(woken(filesystems->descriptor()));
  filesystems->consume();
  const MonoTime first = filesystems->all_asked_at().value();
  filesystems->request();
  ASSERT_TRUE(woken(filesystems->descriptor()));
  EXPECT_GT(filesystems->all_asked_at().value(), first);
}

TEST(Sampler, NewReadingIsAskedPerFilesystemAndAgainOnceAnswered) {
  SampleWatch watch;
  watch.sampling.longest = std::chrono::hours(1);
  Places places = everything_at("/");
  places[static_cast<std::size_t>(Role::kNodeFs)].device = "1:2";
  const auto filesystems = Filesystems::start({.places = places, .watch = watch}).value();
  const auto read_at = [&](Role role) -> std::optional<MonoTime> {
    const auto statistics = filesystems->statistics(role, MonoTime{});
    return statistics ? statistics->time : std::nullopt;
  };
  while (!filesystems->all_asked_at()) {
    ASSERT_TRUE(woken(filesystems->descriptor()));
    filesystems->consume();
  }
  const std::optional<MonoTime> other = read_at(Role::kImageFs);
  for (int i = 0; i < 3; ++i) {
    const std::optional<MonoTime> before = read_at(Role::kNodeFs);
    filesystems->request_newer(Role::kNodeFs);
    while (read_at(Role::kNodeFs) == before) {
      ASSERT_TRUE(woken(filesystems->descriptor()));
      filesystems->consume();
    }
  }
  EXPECT_EQ(read_at(Role::kImageFs), other);
}

TEST(Sampler, AReadingTooOldIsMissing) {
  const auto filesystems = sampled("/");
  ASSERT_TRUE(woken(filesystems->descriptor()));
  const MonoTime read_at = filesystems->all_asked_at().value();
  EXPECT_TRUE(filesystems->statistics(Role::kNodeFs, read_at + std::chrono::hours(2)));
  EXPECT_FALSE(filesystems->statistics(Role::kNodeFs,
                                       read_at + std::chrono::hours(2) + std::chrono::seconds(2)));
}

TEST(Sampler, UnderivedThresholdDoesNotShortenTheInterval) {
  eviction::Threshold none;
  none.signal = eviction::Signal::kContainerFsInodesFree;
  none.op = eviction::ThresholdOperator::kNone;
  SampleWatch watch;
  watch.sampling.longest = std::chrono::hours(1);
  watch.thresholds = eviction::ThresholdTable::create({none}).value();
  const auto filesystems =
      Filesystems::start({.places = everything_at("/"), .watch = watch}).value();
  ASSERT_TRUE(woken(filesystems->descriptor()));
  EXPECT_EQ(filesystems->report(filesystems->all_asked_at().value()).at(0).sampler.interval,
            std::chrono::hours(1));
}

TEST(Sampler, AFailureIsAMissingReadingWithItsReason) {
  const auto filesystems = sampled("/nowhere/at/all");
  filesystems->request();
  ASSERT_TRUE(woken(filesystems->descriptor()));
  EXPECT_FALSE(filesystems->all_asked_at());
  const auto report = filesystems->report({}).at(0);
  EXPECT_GE(report.sampler.failures, 1U);
  EXPECT_NE(report.sampler.error.find("/nowhere/at/all"), std::string::npos);
}

}  // namespace
}  // namespace evictd::disk
