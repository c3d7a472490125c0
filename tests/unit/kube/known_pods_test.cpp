// SPDX-License-Identifier: Apache-2.0
#include "kube/known_pods.h"

#include <gtest/gtest.h>

#include <chrono>

#include "recorded.h"

namespace evictd::kube {
namespace {

using std::chrono::seconds;

constexpr Absence kPatient{.gone_after = seconds(30), .all_gone_after = seconds(300)};

MonoTime at(int second) {
  return MonoTime(seconds(1000 + second));
}

PodDocument pod(const std::string& uid, const std::string& priority = "7") {
  return pod_document(nlohmann::json::parse(test::pod_json(uid, "5", priority))).value();
}

TEST(KnownPods, AreWrittenWhenTheyAreNewOrOthers) {
  KnownPods pods(10);
  EXPECT_EQ(pods.take_list({pod("a"), pod("b")}, {}, at(0)).write.size(), 2U);
  EXPECT_TRUE(pods.take_list({pod("a"), pod("b")}, {}, at(1)).write.empty()) << "nothing changed";
  const ManifestChanges changed = pods.take_pod(pod("a", "8"));
  ASSERT_EQ(changed.write.size(), 1U);
  EXPECT_EQ(changed.write[0].uid, "a");
}

TEST(KnownPods, ThatAreInTheDirectoryAlreadyAreNotWrittenAgain) {
  KnownPods pods(10);
  pods.adopt(pod("a"));
  pods.adopt(pod("old"));
  const ManifestChanges changes = pods.take_list({pod("a")}, {}, at(0));
  EXPECT_TRUE(changes.write.empty());
  EXPECT_EQ(changes.remove, std::vector<std::string>{"old"});
}

TEST(KnownPods, AreGoneOnceEveryListLackedThemForLong) {
  KnownPods pods(10);
  static_cast<void>(pods.take_list({pod("a"), pod("b")}, kPatient, at(0)));
  EXPECT_TRUE(pods.take_list({pod("b")}, kPatient, at(10)).remove.empty());
  EXPECT_TRUE(pods.take_list({pod("a"), pod("b")}, kPatient, at(20)).remove.empty());
  EXPECT_TRUE(pods.take_list({pod("b")}, kPatient, at(30)).remove.empty());
  EXPECT_TRUE(pods.take_list({pod("b")}, kPatient, at(59)).remove.empty()) << "it was there at 20";
  EXPECT_EQ(pods.take_list({pod("b")}, kPatient, at(60)).remove, std::vector<std::string>{"a"});
}

TEST(KnownPods, AnEmptyListIsBelievedLater) {
  KnownPods pods(10);
  static_cast<void>(pods.take_list({pod("a")}, kPatient, at(0)));
  EXPECT_TRUE(pods.take_list({}, kPatient, at(10)).remove.empty());
  EXPECT_TRUE(pods.take_list({}, kPatient, at(309)).remove.empty());
  EXPECT_EQ(pods.take_list({}, kPatient, at(310)).remove.size(), 1U);
}

TEST(KnownPods, ADeletedOneIsGoneAtOnce) {
  KnownPods pods(10);
  static_cast<void>(pods.take_pod(pod("a")));
  EXPECT_EQ(pods.take_deleted("a").remove, std::vector<std::string>{"a"});
  EXPECT_TRUE(pods.take_deleted("a").remove.empty());
}

TEST(KnownPods, OneThatEvictdCannotReadKeepsItsManifest) {
  KnownPods pods(10);
  static_cast<void>(pods.take_list({pod("a")}, {}, at(0)));
  const ManifestChanges changes = pods.take_list({pod("a", "\"high\"")}, {}, at(1));
  EXPECT_TRUE(changes.write.empty() && changes.remove.empty());
  EXPECT_EQ(changes.refused, 1U);
  EXPECT_NE(changes.first_refusal.find("spec.priority"), std::string::npos);
}

TEST(KnownPods, OneBeyondTheLimitIsRefused) {
  KnownPods pods(1);
  const ManifestChanges changes = pods.take_list({pod("a"), pod("b")}, {}, at(0));
  EXPECT_EQ(changes.write.size(), 1U);
  EXPECT_EQ(changes.refused, 1U);
}

TEST(KnownPods, OneThatWasNotWrittenIsWrittenAgain) {
  KnownPods pods(10);
  static_cast<void>(pods.take_pod(pod("a")));
  pods.forget_text("a");
  EXPECT_EQ(pods.take_list({pod("a")}, {}, at(0)).write.size(), 1U);
}

}  // namespace
}  // namespace evictd::kube
