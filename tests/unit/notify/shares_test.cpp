// SPDX-License-Identifier: Apache-2.0
#include "notify/shares.h"

#include <gtest/gtest.h>

#include <array>

#include "notify/table_shares.h"

namespace evictd::notify {
namespace {

constexpr uid_t kRoot = 0;
constexpr uid_t kAnna = 1000;
constexpr uid_t kBert = 1001;

int check_one(const Shares<int>& shares, uid_t user, int thing) {
  return shares.check(user, std::array{thing});
}

TEST(Shares, CountAThingOnceForAUserAndOnceForAllButRoot) {
  Shares<int> shares(ShareLimits{.root = 1, .user = 2, .others = 3});
  shares.add(kAnna, 1);
  shares.add(kAnna, 1);
  shares.add(kAnna, 2);
  EXPECT_EQ(check_one(shares, kAnna, 1), 0) << "it has that one";
  EXPECT_EQ(check_one(shares, kAnna, 3), EDQUOT);
  EXPECT_EQ(shares.check(kBert, std::array{1, 2}), 0) << "all together have these";
  shares.add(kBert, 3);
  EXPECT_EQ(check_one(shares, kBert, 4), ENOSPC);
  EXPECT_EQ(check_one(shares, kBert, 1), 0);
  EXPECT_EQ(shares.check(kBert, std::array{1, 2}), EDQUOT);
}

TEST(Shares, OfRootAreTakenFromNobody) {
  Shares<int> shares(ShareLimits{.root = 1, .user = 1, .others = 1});
  shares.add(kRoot, 1);
  EXPECT_EQ(check_one(shares, kRoot, 2), EDQUOT);
  EXPECT_EQ(check_one(shares, kAnna, 2), 0);
}

TEST(Shares, AreFreeAgainWhenTheLastOneIsTakenBack) {
  Shares<int> shares(ShareLimits{.root = 1, .user = 1, .others = 1});
  shares.add(kAnna, 1);
  shares.add(kAnna, 1);
  shares.add(kBert, 1);
  shares.remove(kAnna, 1);
  EXPECT_EQ(check_one(shares, kAnna, 2), EDQUOT);
  shares.remove(kAnna, 1);
  EXPECT_EQ(check_one(shares, kAnna, 2), ENOSPC) << "another one has it";
  shares.remove(kBert, 1);
  shares.remove(kBert, 1);
  EXPECT_EQ(check_one(shares, kAnna, 2), 0);
}

Registration listener_of(uid_t owner, const LevelKey& key, const Terms& terms) {
  Registration registration{};
  registration.owner = owner;
  registration.key = key;
  registration.terms = terms;
  return registration;
}

TEST(TableShares, CountTwoEdgesWithAHysteresisAndOneWithout) {
  // Four edges each, 64 for all but root.
  TableShares shares(BackendRoom{.rows = 1024, .edges = 256});
  const LevelKey key{.cgroup = {.hierarchy = 0, .id = 1}};
  const Terms plain{.threshold = 4096};
  const Terms wide{.threshold = 8192, .hysteresis = 4096};
  shares.add(listener_of(kAnna, key, wide));
  shares.add(listener_of(kAnna, key, plain));
  EXPECT_EQ(shares.check(kAnna, key, wide), EDQUOT);
  EXPECT_EQ(shares.check(kAnna, key, plain), 0);
  shares.remove(listener_of(kAnna, key, plain));
  EXPECT_EQ(shares.check(kAnna, key, wide), 0);
  for (uid_t user = 2000; user < 2031; ++user) {
    EXPECT_EQ(shares.check(user, key, wide), 0);
    shares.add(listener_of(user, key, wide));
  }
  EXPECT_EQ(shares.check(kBert, key, plain), ENOSPC);
  EXPECT_EQ(shares.check(kRoot, key, wide), 0);
}

}  // namespace
}  // namespace evictd::notify
