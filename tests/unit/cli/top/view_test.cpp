// SPDX-License-Identifier: Apache-2.0
#include "cli/top/view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace evictd::cli::top {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

NodeState three_pods() {
  NodeState node;
  PodState pod{.name = "shop/cart", .uid = "cart", .state = "active", .qos = "Burstable"};
  pod.priority = 100;
  pod.request = 64;
  pod.working_set = 30;
  pod.rate = 5;
  pod.memory_rank = 2;
  pod.task_rank = 3;
  node.pods.push_back(pod);
  pod.name = "batch/report";
  pod.uid = "report";
  pod.qos = "BestEffort";
  pod.priority = 0;
  pod.request = 0;
  pod.working_set = 20;
  pod.rate = 50;
  pod.memory_rank = 1;
  pod.task_rank = 2;
  node.pods.push_back(pod);
  node.pods.push_back({.name = "kube/gone", .uid = "gone", .state = "no_cgroup"});
  return node;
}

std::vector<std::string> order(const NodeState& node, const View& view) {
  std::vector<std::string> uids;
  for (const PodState* pod : pods_in_order(node, view)) {
    uids.push_back(pod->uid);
  }
  return uids;
}

Key character(const std::string& text) {
  return {.name = Key::Name::kCharacter, .character = text};
}

class Viewing : public testing::Test {
 protected:
  Wish press(const Key& key) { return apply(key, pods_in_order(node_, view_), view_); }
  void type(const std::string& text) {
    for (const char letter : text) {
      static_cast<void>(press(character(std::string(1, letter))));
    }
  }
  [[nodiscard]] std::string selected() const {
    const std::vector<const PodState*> pods = pods_in_order(node_, view_);
    return pods.empty() ? std::string() : pods[selected_place(pods, view_)]->uid;
  }

  NodeState node_ = three_pods();
  View view_{};
};

TEST_F(Viewing, PodsStandInTheOrderInWhichTheyWouldGo) {
  EXPECT_THAT(order(node_, view_), ElementsAre("report", "cart", "gone"));
}

TEST_F(Viewing, EachSortKeyOrdersAndWhatIsNotKnownComesLast) {
  for (const auto& [letter, first] : {std::pair("t", "report"),
                                      {"u", "cart"},
                                      {"o", "report"},
                                      {"g", "report"},
                                      {"p", "report"}}) {
    type(letter);
    EXPECT_EQ(order(node_, view_).front(), first) << letter;
    EXPECT_EQ(order(node_, view_).back(), "gone") << letter;
  }
  type("n");
  EXPECT_THAT(order(node_, view_), ElementsAre("report", "gone", "cart"));
  type("m");
  EXPECT_EQ(view_.sort, SortKey::kMemory);
}

TEST_F(Viewing, EachSortKeyIsReachedByOneKeyAndNamed) {
  for (const std::string& name : sort_key_names()) {
    EXPECT_EQ(sort_key_named(name), view_.sort);
    EXPECT_EQ(name_of(view_.sort), name);
    type("s");
  }
  EXPECT_EQ(view_.sort, SortKey::kMemory);
  type("S");
  EXPECT_EQ(view_.sort, SortKey::kName);
  EXPECT_EQ(sort_key_named("size"), std::nullopt);
}

TEST_F(Viewing, TheOrderIsTurnedRound) {
  type("r");
  EXPECT_THAT(order(node_, view_), ElementsAre("gone", "cart", "report"));
}

TEST_F(Viewing, AFilterShowsWhatHasItInNameUidQosOrState) {
  for (const auto& [filter, found] :
       {std::pair("REPORT", "report"), {"burst", "cart"}, {"no_cg", "gone"}}) {
    view_.filter = filter;
    EXPECT_THAT(order(node_, view_), ElementsAre(found)) << filter;
  }
}

TEST_F(Viewing, AFilterIsWrittenTakenAndDropped) {
  type("/carq");
  EXPECT_TRUE(view_.editing_filter);
  EXPECT_THAT(order(node_, view_), IsEmpty());
  static_cast<void>(press({.name = Key::Name::kBackspace}));
  EXPECT_THAT(order(node_, view_), ElementsAre("cart"));
  static_cast<void>(press({.name = Key::Name::kEnter}));
  EXPECT_FALSE(view_.editing_filter);
  EXPECT_EQ(view_.filter, "car");
  static_cast<void>(press({.name = Key::Name::kEscape}));
  EXPECT_THAT(view_.filter, IsEmpty());
}

TEST_F(Viewing, BackspaceTakesAWholeCharacter) {
  type("/");
  static_cast<void>(press(character("\xe6\x97\xa5")));
  static_cast<void>(press({.name = Key::Name::kBackspace}));
  EXPECT_THAT(view_.filter, IsEmpty());
  static_cast<void>(press({.name = Key::Name::kBackspace}));
  EXPECT_THAT(view_.filter, IsEmpty());
}

TEST_F(Viewing, OnlyQEndsAndNotWithinAFilter) {
  type("/q");
  EXPECT_EQ(view_.filter, "q");
  static_cast<void>(press({.name = Key::Name::kEscape}));
  EXPECT_EQ(press(character("x")), Wish::kStay);
  EXPECT_EQ(press(character("q")), Wish::kQuit);
}

TEST_F(Viewing, TheSelectedPodStaysSelectedInAnotherOrder) {
  static_cast<void>(press({.name = Key::Name::kDown}));
  EXPECT_EQ(selected(), "cart");
  type("r");
  EXPECT_EQ(selected(), "cart");
}

TEST_F(Viewing, TheFirstLineStaysSelectedWhicheverPodIsThere) {
  EXPECT_EQ(selected(), "report");
  type("u");
  EXPECT_EQ(selected(), "cart");
}

TEST_F(Viewing, MovingStopsAtBothEnds) {
  static_cast<void>(press({.name = Key::Name::kUp}));
  EXPECT_EQ(selected(), "report");
  view_.page_length = 10;
  static_cast<void>(press({.name = Key::Name::kPageDown}));
  EXPECT_EQ(selected(), "gone");
  type("j");
  EXPECT_EQ(selected(), "gone");
  type("k");
  EXPECT_EQ(selected(), "cart");
  static_cast<void>(press({.name = Key::Name::kEnd}));
  EXPECT_EQ(selected(), "gone");
  static_cast<void>(press({.name = Key::Name::kHome}));
  EXPECT_EQ(selected(), "report");
}

TEST_F(Viewing, ADetailIsOfOnePodWhereverItGoes) {
  static_cast<void>(press({.name = Key::Name::kEnter}));
  EXPECT_EQ(view_.page, Page::kDetail);
  EXPECT_EQ(view_.selected, "report");
  static_cast<void>(press({.name = Key::Name::kEscape}));
  EXPECT_EQ(view_.page, Page::kList);
}

TEST_F(Viewing, WithoutPodsThereIsNoDetail) {
  node_.pods.clear();
  static_cast<void>(press({.name = Key::Name::kEnter}));
  EXPECT_EQ(view_.page, Page::kList);
  static_cast<void>(press({.name = Key::Name::kEnd}));
  EXPECT_THAT(view_.selected, IsEmpty());
}

TEST_F(Viewing, SpacePausesAndHelpComesAndGoes) {
  type(" ");
  EXPECT_TRUE(view_.paused);
  type(" ?");
  EXPECT_FALSE(view_.paused);
  EXPECT_EQ(view_.page, Page::kHelp);
  type("h");
  EXPECT_EQ(view_.page, Page::kList);
}

}  // namespace
}  // namespace evictd::cli::top
