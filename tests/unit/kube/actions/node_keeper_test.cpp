// SPDX-License-Identifier: Apache-2.0
#include "kube/actions/node_keeper.h"

#include <gtest/gtest.h>

namespace evictd::kube::test {
namespace {

using Json = nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

class NodeKeeping : public testing::Test {
 protected:
  void SetUp() override {
    NodeKeeper::Options options;
    options.node = "node1";
    options.random = [] { return 0.0; };
    keeper_.emplace(std::move(options));
  }
  [[nodiscard]] std::string node() const {
    return Json{{"kind", "Node"},
                {"metadata", {{"name", "node1"}, {"resourceVersion", "7"}}},
                {"spec", {{"taints", taints_}}},
                {"status", {{"conditions", conditions_}}}}
        .dump();
  }
  /// Answers each question as a server does, and says which there were.
  std::vector<std::string> run() {
    std::vector<std::string> asked;
    while (const std::optional<Ask> ask = keeper_->tick(now_, {})) {
      const Json body = ask->body.empty() ? Json() : Json::parse(ask->body);
      if (ask->method == Ask::Method::kGet) {
        asked.emplace_back("get");
      } else if (ask->path.ends_with("/status")) {
        asked.emplace_back("conditions");
        conditions_ = body["status"]["conditions"];
      } else {
        asked.emplace_back("taints");
        taints_ = body["spec"]["taints"];
      }
      keeper_->on_end({.error = {}, .status = 200, .body = node()}, now_);
    }
    return asked;
  }
  static Pressure memory() {
    Pressure pressure;
    pressure.kinds[0].is_set = true;
    return pressure;
  }
  using Asked = std::vector<std::string>;

  std::optional<NodeKeeper> keeper_;
  Json taints_ = Json::array();
  Json conditions_ = Json::array();
  MonoTime now_ = MonoTime{} + seconds(1000);
};

TEST_F(NodeKeeping, PatchesWhatIsOtherwiseAlone) {
  EXPECT_EQ(run(), (Asked{"get", "conditions"}));
  now_ += minutes(1);
  EXPECT_EQ(run(), (Asked{"get"}));
  keeper_->want(memory(), now_);
  EXPECT_EQ(run(), (Asked{"get", "taints", "conditions"}));
  EXPECT_EQ(keeper_->due(), now_ + minutes(1));
}

TEST_F(NodeKeeping, KeepsNewPodsOffAndTellsNoConditionWhereItIsToTellNone) {
  NodeKeeper::Options options;
  options.node = "node1";
  options.conditions.reset();
  options.random = [] { return 0.0; };
  keeper_.emplace(std::move(options));
  EXPECT_EQ(run(), Asked{"get"});
  Pressure damped;
  damped.is_damped = true;
  keeper_->want(damped, now_);
  EXPECT_EQ(run(), (Asked{"get", "taints"}));
  EXPECT_EQ(taints_,
            (Json::array({{{"key", "evictd.dev/eviction-loop"}, {"effect", "NoSchedule"}}})));
  keeper_->want({}, now_);
  now_ += seconds(3);
  EXPECT_EQ(run(), (Asked{"get", "taints"}));
  EXPECT_EQ(taints_, Json::array());
}

TEST_F(NodeKeeping, BelievesTheEndOfPressureAfterAWhile) {
  keeper_->want(memory(), now_);
  run();
  keeper_->want({}, now_);
  EXPECT_EQ(run(), Asked{});
  keeper_->want(memory(), now_);
  EXPECT_EQ(run(), (Asked{"get"})) << "nothing has changed";
  keeper_->want({}, now_);
  now_ += seconds(3);
  EXPECT_EQ(run(), (Asked{"get", "taints", "conditions"}));
  EXPECT_EQ(taints_, Json::array());
}

TEST_F(NodeKeeping, ATaintThatSomebodyRemovedComesBack) {
  keeper_->want(memory(), now_);
  run();
  taints_ = Json::array();
  now_ += minutes(1);
  EXPECT_EQ(run(), (Asked{"get", "taints"}));
}

TEST_F(NodeKeeping, WaitsAfterEachFailure) {
  for (const std::string& body : {std::string("garbage"), std::string("{}"),
                                  std::string(R"({"kind":"Node","metadata":{"name":"node2"}})")}) {
    ASSERT_TRUE(keeper_->tick(now_, {}));
    keeper_->on_end({.error = {}, .status = 200, .body = body}, now_);
    EXPECT_NE(keeper_->problem(), "");
    EXPECT_GE(keeper_->due(), now_ + milliseconds(500));
    EXPECT_FALSE(keeper_->tick(now_, {}));
    now_ = keeper_->due();
  }
  keeper_->want(memory(), now_);
  ASSERT_TRUE(keeper_->tick(now_, {}));
  keeper_->on_end({.error = {}, .status = 200, .body = node()}, now_);
  ASSERT_TRUE(keeper_->tick(now_, {})) << "the taints";
  keeper_->on_end({.error = {}, .status = 409}, now_);
  EXPECT_EQ(keeper_->counters().conflicts, 1U);
  EXPECT_GT(keeper_->due(), now_);
}

TEST(NodeTaints, OfOthersStayAsTheyAre) {
  const Json taints = Json::parse(
      R"([{"key":"a","effect":"NoExecute","timeAdded":"t"},
          {"key":"evictd.dev/memory-pressure","effect":"NoExecute"},
          {"key":"evictd.dev/disk-pressure","effect":"NoSchedule"}, 5])");
  const Json wanted = wanted_taints(taints, {});
  EXPECT_EQ(wanted, Json::array({taints[0], taints[1], taints[3]}));
}

}  // namespace
}  // namespace evictd::kube::test
