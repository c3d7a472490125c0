// SPDX-License-Identifier: Apache-2.0
#include "demo/witness.h"

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>

#include "support/fake_tree.h"

namespace evictd::demo {
namespace {

constexpr std::chrono::seconds kWitnessPatience{30};

class DemoWitness : public testing::Test {
 protected:
  void SetUp() override {
    write("root", "1000");
    write("hog", "10");
    write("pids.current", "4");
  }
  void write(const char* name, const char* text) const { tree_.write(name, text); }
  [[nodiscard]] WitnessOptions options() const {
    return {.root_usage = tree_.real("root"),
            .hog_usage = tree_.real("hog"),
            .root_tasks = tree_.real("pids.current"),
            .root_most_tasks = tree_.real("pids.peak")};
  }

  test::FakeTree tree_;
};

TEST_F(DemoWitness, SeesTasksThatTheLoadDidNotLiveToStamp) {
  Result<Witness> witness = Witness::start(options());
  ASSERT_TRUE(witness) << witness.error().message();
  write("pids.current", "261");
  witness->hog_is_dead();
  const Testimony testimony = witness->finish(kWitnessPatience);
  EXPECT_TRUE(testimony.freed);
  EXPECT_EQ(testimony.most_tasks, 261);
}

TEST_F(DemoWitness, TakesThePeakOfTheKernelWhereThereIsOne) {
  write("pids.peak", "270");
  Result<Witness> witness = Witness::start(options());
  ASSERT_TRUE(witness) << witness.error().message();
  EXPECT_EQ(witness->finish(Duration{0}).most_tasks, 270);
}

TEST_F(DemoWitness, WatchesNoTasksUnlessItIsToldWhere) {
  WitnessOptions memory_only = options();
  memory_only.root_tasks.clear();
  memory_only.root_most_tasks.clear();
  Result<Witness> witness = Witness::start(memory_only);
  ASSERT_TRUE(witness) << witness.error().message();
  witness->hog_is_dead();
  const Testimony testimony = witness->finish(kWitnessPatience);
  EXPECT_EQ(testimony.most_tasks, 0);
  EXPECT_EQ(testimony.highest, Bytes{1000});
}

TEST_F(DemoWitness, AFileOfTasksThatIsNotThereIsAnError) {
  WitnessOptions wrong = options();
  wrong.root_tasks = "/nowhere/pids.current";
  EXPECT_EQ(Witness::start(wrong).error().code, Errc::kNotFound);
}

}  // namespace
}  // namespace evictd::demo
