// SPDX-License-Identifier: Apache-2.0
#include "cli/top/layout.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "utf8_locale.h"

namespace evictd::cli::top {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr Size kUsual{.width = 80, .height = 24};
constexpr std::int64_t kMi = 1 << 20;

SignalState signal(const std::string& name, std::int64_t available_mi) {
  return {.signal = name,
          .kind = "hard",
          .threshold = "100Mi",
          .observed = true,
          .met = available_mi < 100,
          .available = available_mi * kMi,
          .capacity = 1000 * kMi,
          .met_below = 100 * kMi};
}

PodState pod(const std::string& name, std::int64_t rank) {
  PodState made{.name = name,
                .uid = "uid-" + name,
                .cgroup = "/kubepods/pod" + name,
                .origin = "manifest",
                .state = "active",
                .qos = "Burstable"};
  made.priority = 100;
  made.request = 64 * kMi;
  made.usage = made.working_set = 96 * kMi;
  made.tasks = 3;
  made.memory_rank = made.task_rank = rank;
  return made;
}

std::string text_of(const Row& row) {
  std::string text;
  for (const Span& span : row.spans) {
    text += span.text;
  }
  return text;
}

class LayingOut : public testing::Test {
 protected:
  void SetUp() override {
    use_utf8_locale();
    node_.version = "0.2.0";
    node_.node = "vm";
    node_.event_source = "bpf";
    node_.realtime = true;
    node_.signals = {signal("memory.available", 500), signal("nodefs.available", 50)};
    node_.pods = {pod("shop/cart", 2), pod("batch/report", 1)};
  }
  [[nodiscard]] Screen draw(Size size = kUsual) {
    return lay_out({.node = has_node_ ? &node_ : nullptr,
                    .events = &events_,
                    .trouble = trouble_,
                    .events_trouble = {},
                    .clock = "16:10:43 UTC",
                    .charset = charset_},
                   size, view_);
  }
  [[nodiscard]] std::string all(Size size = kUsual) {
    std::string text;
    for (const Row& row : draw(size)) {
      text += text_of(row) + '\n';
    }
    return text;
  }
  void expect_to_fit(Size size) {
    const Screen screen = draw(size);
    EXPECT_EQ(screen.size(), size.height);
    for (const Row& row : screen) {
      EXPECT_LE(cells_of(text_of(row)), size.width) << text_of(row);
    }
  }
  void tell(const std::string& json) { events_.take(nlohmann::ordered_json::parse(json)); }

  NodeState node_{};
  bool has_node_ = true;
  EventList events_{WallTime{}};
  std::string trouble_{};
  Charset charset_ = Charset::kUtf8;
  View view_{};
};

TEST_F(LayingOut, TheUsualScreenShowsSignalsPodsAndEvents) {
  tell(
      R"({"kind":"condition","time":"2026-11-25T16:10:43.821341Z","type":"DiskPressure","status":true})");
  const std::string text = all();
  EXPECT_THAT(text, HasSubstr("evictd 0.2.0 on vm"));
  EXPECT_THAT(text, HasSubstr("500.0Mi    <100Mi   400.0Mi"));
  EXPECT_THAT(text, HasSubstr(" 50.0Mi    <100Mi   -50.0Mi"));
  EXPECT_LT(text.find("1 batch/report"), text.find("2 shop/cart"));
  EXPECT_THAT(text, HasSubstr("96.0Mi  64.0Mi"));
  EXPECT_THAT(text, HasSubstr("16:10:43.821 node condition DiskPressure set"));
}

TEST_F(LayingOut, EveryScreenIsFilledAndNoRowIsWider) {
  node_.pods.push_back(pod(std::string(300, 'x'), 3));
  node_.pods.push_back(pod("wide/\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e", 4));
  node_.pods.back().priority = 2'000'001'000;
  node_.signals[0].signal = std::string(120, 's');
  trouble_ = std::string(300, 't');
  tell(R"({"kind":"gap","lost":2})");
  for (const Page page : {Page::kList, Page::kDetail, Page::kHelp}) {
    view_.page = page;
    for (const Size size : {Size{60, 16}, Size{61, 17}, kUsual, Size{132, 50}, Size{400, 200}}) {
      expect_to_fit(size);
    }
  }
}

TEST_F(LayingOut, NamesThatWouldMoveTheCursorDoNot) {
  node_.pods = {pod("a\x1b[2J\r\nb\xc2\x9bH\x7f", 1)};
  node_.node = "n\x1b]0;title\x07";
  for (const Page page : {Page::kList, Page::kDetail}) {
    view_.page = page;
    view_.selected = node_.pods[0].uid;
    for (const Row& row : draw()) {
      EXPECT_EQ(printable(text_of(row), Charset::kUtf8), text_of(row));
    }
  }
}

TEST_F(LayingOut, ATerminalOfAsciiGetsAsciiAlone) {
  charset_ = Charset::kAscii;
  node_.pods.push_back(pod("wide/\xe6\x97\xa5", 3));
  const std::string text = all();
  EXPECT_TRUE(std::all_of(text.begin(), text.end(), [](char byte) {
    return static_cast<unsigned char>(byte) < 0x80;
  })) << text;
}

TEST_F(LayingOut, ATerminalThatIsTooSmallIsToldWhatIsNeeded) {
  EXPECT_THAT(all({40, 10}), HasSubstr("evictctl top needs 60 x 16"));
  EXPECT_THAT(all({40, 10}), HasSubstr("this is 40 x 10; q ends it"));
  for (const Size size : {Size{40, 10}, Size{80, 15}, Size{59, 24}, Size{1, 1}, Size{0, 0}}) {
    expect_to_fit(size);
  }
}

TEST_F(LayingOut, BeforeTheFirstAnswerThereIsTheTrouble) {
  has_node_ = false;
  trouble_ = "evictd is away";
  EXPECT_THAT(all(), HasSubstr("evictd is away"));
  expect_to_fit(kUsual);
}

TEST_F(LayingOut, OfManySignalsTheNearestAreShown) {
  for (int i = 0; i < 10; ++i) {
    node_.signals.push_back(signal(fmt::format("far{}", i), 900));
  }
  node_.signals.push_back(signal("near", 120));
  const std::string text = all();
  EXPECT_THAT(text, HasSubstr("memory.available"));
  EXPECT_THAT(text, HasSubstr("nodefs.available"));
  EXPECT_THAT(text, HasSubstr("near"));
  EXPECT_THAT(text, HasSubstr("9 more are farther from their thresholds"));
}

TEST_F(LayingOut, NamesTheThresholdThatIsReachedFirst) {
  const std::size_t height = draw().size();
  EXPECT_THAT(all(), Not(HasSubstr("reaches")));
  const std::string words = "reaches 100Mi in 4.2 s, at 9Mi/s, because of shop/cart";
  node_.signals[0].time_to_threshold_ms = 4200;
  node_.signals[0].forecast = words;
  node_.signals[1].time_to_threshold_ms = 9000;
  node_.signals[1].forecast = "reaches 100Mi in 9.0 s";
  EXPECT_THAT(all(), HasSubstr(" memory.available " + words + "\n"));
  EXPECT_THAT(all(), Not(HasSubstr("9.0 s")));
  EXPECT_EQ(draw().size(), height);
  EXPECT_THAT(all({60, 16}), HasSubstr(words + "\n")) << "the name is what is cut";
}

TEST_F(LayingOut, ALongThresholdIsShownAsTheAmountThatItIs) {
  node_.signals[0].threshold = "104857600";
  EXPECT_THAT(all(), HasSubstr("500.0Mi  <100.0Mi   400.0Mi"));
}

TEST_F(LayingOut, ASignalThatIsNotObservedSaysSo) {
  node_.signals[0].observed = false;
  EXPECT_THAT(all(), HasSubstr("not observed"));
}

TEST_F(LayingOut, WhatHoldsEvictdBackIsShown) {
  node_.brake = "paused";
  node_.dry_run = true;
  node_.event_source = "poll";
  node_.realtime = false;
  node_.conditions = {"MemoryPressure"};
  const std::string text = all({160, 24});
  for (const char* words :
       {"HELD: paused", "DRY RUN", "polling", "no real-time priority", "MemoryPressure"}) {
    EXPECT_THAT(text, HasSubstr(words));
  }
}

TEST_F(LayingOut, ColumnsOfLessUseGoAsTheScreenGetsNarrower) {
  node_.pods[0].name = "a-namespace-of-some-length/and-a-pod-of-some-length";
  EXPECT_THAT(all({160, 24}), HasSubstr("GROWTH/s"));
  EXPECT_THAT(all({60, 24}), Not(HasSubstr("GROWTH/s")));
  for (const char* kept : {"USAGE", "REQUEST", "USED/REQ"}) {
    EXPECT_THAT(all({60, 24}), HasSubstr(kept));
  }
}

TEST_F(LayingOut, TheColumnThatIsSortedByStays) {
  node_.pods[0].name = "a-namespace-of-some-length/and-a-pod-of-some-length";
  view_.sort = SortKey::kGrowth;
  EXPECT_THAT(all({60, 24}), HasSubstr("GROWTH/s"));
}

TEST_F(LayingOut, TheSelectedPodIsOnTheScreenWhereverItIs) {
  node_.pods.clear();
  for (int i = 1; i <= 100; ++i) {
    node_.pods.push_back(pod(fmt::format("pod{:03}", i), i));
  }
  for (const char* selected : {"uid-pod100", "uid-pod050", "uid-pod051", "uid-pod001"}) {
    view_.selected = selected;
    const Screen screen = draw();
    const auto row =
        std::find_if(screen.begin(), screen.end(), [](const Row& one) { return one.selected; });
    ASSERT_NE(row, screen.end()) << selected;
    EXPECT_THAT(text_of(*row), HasSubstr(std::string(selected).substr(4)));
  }
}

TEST_F(LayingOut, AFilterThatLetsNothingThroughSaysSo) {
  view_.filter = "nothing";
  EXPECT_THAT(all(), HasSubstr("no pod matches \"nothing\""));
}

TEST_F(LayingOut, AFilterThatIsWrittenStandsInTheLastLine) {
  view_.filter = "ca";
  view_.editing_filter = true;
  EXPECT_THAT(text_of(draw().back()), HasSubstr("filter: ca_"));
}

TEST_F(LayingOut, APauseIsTold) {
  view_.paused = true;
  events_.pause();
  tell(R"({"kind":"gap","lost":2})");
  EXPECT_THAT(all(), HasSubstr("PAUSED, 1 new events"));
}

TEST_F(LayingOut, ADetailShowsThePodAndItsEvents) {
  tell(R"({"kind":"refused","uid":"uid-shop/cart","pod":"shop/cart","reason":"no"})");
  tell(R"({"kind":"refused","uid":"other","pod":"other","reason":"no"})");
  view_.page = Page::kDetail;
  view_.selected = "uid-shop/cart";
  const std::string text = all();
  for (const char* words :
       {"uid-shop/cart", "/kubepods/podshop/cart", "memory 2 of 2, tasks 2 of 2",
        "64.0Mi; usage is 32.0Mi above it", "pod shop/cart could not be evicted"}) {
    EXPECT_THAT(text, HasSubstr(words));
  }
  EXPECT_THAT(text, Not(HasSubstr("pod other could not")));
}

TEST_F(LayingOut, ADetailOfAPodThatIsGoneShowsNoOther) {
  view_.page = Page::kDetail;
  view_.selected = "uid-gone";
  EXPECT_THAT(all(), HasSubstr("is gone"));
  EXPECT_THAT(all(), Not(HasSubstr("uid-shop/cart")));
}

}  // namespace
}  // namespace evictd::cli::top
