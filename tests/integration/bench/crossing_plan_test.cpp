// SPDX-License-Identifier: Apache-2.0
#include "crossing/plan.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace evictd::bench {
namespace {

std::vector<Row> rows_of(const Selection& selection) {
  std::vector<Row> all;
  for (const std::vector<Row>& scene : plan(selection, true)) {
    all.insert(all.end(), scene.begin(), scene.end());
  }
  return all;
}

TEST(CrossingPlan, AKernelSideThatKillsHasRowsBesideThoseOfEvictd) {
  for (const std::string brake : {"evictd-backstop", "evictd-brake"}) {
    const std::vector<Row> rows = rows_of({.with = {brake}, .without = {}});
    EXPECT_EQ(rows.size(), 8U) << "pages, busy loops and priorities, twice each";
    for (const Row& row : rows) {
      EXPECT_EQ(row.scene.target, Target::kCgroup) << title_of(row);
    }
  }
}

TEST(CrossingPlan, TheRowsOfEvictdItselfAreWithoutOne) {
  const std::vector<Row> rows = rows_of({.with = {"evictd"}, .without = {}});
  EXPECT_EQ(rows.size(), 16U);
  for (const Row& row : rows) {
    EXPECT_EQ(brake_of(row.killer), "off") << title_of(row);
  }
}

}  // namespace
}  // namespace evictd::bench
