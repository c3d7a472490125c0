// SPDX-License-Identifier: Apache-2.0
#include "base/loan.h"

#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <utility>
#include <vector>

namespace evictd::base {
namespace {

using Shared = std::shared_ptr<int>;

Loan<Shared> lend(Lender& lender, const Shared& item) {
  return lender.lend(std::make_unique<Shared>(item));
}

TEST(Loan, LenderDestroysWhatBorrowerDropped) {
  const auto item = std::make_shared<int>(1);
  Lender lender;
  Loan<Shared> loan = lend(lender, item);
  EXPECT_EQ(**loan, 1);
  std::thread borrower([borrowed = std::move(loan)]() mutable { borrowed.reset(); });
  borrower.join();
  EXPECT_EQ(item.use_count(), 2) << "the borrower freed it";
  lender.collect();
  EXPECT_EQ(item.use_count(), 2) << "a message may still point to it";
  lender.destroy_collected();
  EXPECT_EQ(item.use_count(), 1);
}

TEST(Loan, LaterReturnWaitsForItsOwnCollection) {
  const auto item = std::make_shared<int>(1);
  Lender lender;
  lend(lender, item).reset();
  lender.collect();
  lend(lender, item).reset();
  lender.collect();
  lender.destroy_collected();
  EXPECT_EQ(item.use_count(), 2);
  lender.collect();
  lender.destroy_collected();
  EXPECT_EQ(item.use_count(), 1);
}

TEST(Loan, SwapReturnsTheObjectOfTheFormerLoan) {
  std::vector<int> returned;
  const auto tell = [&](int& number) { returned.push_back(number); };
  Lender lender;
  Loan<int> kept = lender.lend<int>(std::make_unique<int>(1), tell);
  {
    Loan<int> newer = lender.lend<int>(std::make_unique<int>(2), tell);
    std::swap(kept, newer);
  }
  lender.collect();
  lender.destroy_collected();
  EXPECT_EQ(returned, std::vector<int>{1});
  EXPECT_EQ(*kept, 2);
}

TEST(Loan, NothingIsLostWhenTheLenderEnds) {
  const auto item = std::make_shared<int>(1);
  {
    Lender lender;
    lend(lender, item).reset();
    lender.collect();
    lend(lender, item).reset();
  }
  EXPECT_EQ(item.use_count(), 1);
}

TEST(Loan, LendsWhileTheBorrowerReturns) {
  constexpr int kLoans = 10'000;
  int returned = 0;
  Lender lender;
  std::vector<Loan<int>> loans;
  loans.reserve(kLoans);
  for (int i = 0; i < kLoans; ++i) {
    loans.push_back(lender.lend<int>(std::make_unique<int>(i), [&](int&) { ++returned; }));
  }
  std::thread borrower([&loans] { loans.clear(); });
  while (returned < kLoans) {
    lender.collect();
    lender.destroy_collected();
  }
  borrower.join();
  EXPECT_EQ(returned, kLoans);
}

}  // namespace
}  // namespace evictd::base
