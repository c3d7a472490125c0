// SPDX-License-Identifier: Apache-2.0
#include "daemon/records/problem_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/system_clock.h"

namespace evictd::daemon {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

class Problems : public testing::Test {
 protected:
  /// What the log has of it.
  std::string tell(const std::vector<std::string>& texts) {
    std::vector<Error> problems;
    problems.reserve(texts.size());
    for (const std::string& text : texts) {
      problems.push_back(fail(Errc::kNotFound, text).value());
    }
    testing::internal::CaptureStderr();
    told_.log_changes(problems);
    return testing::internal::GetCapturedStderr();
  }

 private:
  base::SystemClock clock_;
  base::Log log_{{}, clock_};
  ProblemLog told_{log_};
};

TEST_F(Problems, AreToldOnceEach) {
  EXPECT_THAT(tell({"no pods"}), HasSubstr(" warn no pods\n"));
  EXPECT_THAT(tell({"no pods"}), IsEmpty());
  const std::string more = tell({"no pods", "no manifests"});
  EXPECT_THAT(more, HasSubstr(" warn no manifests\n"));
  EXPECT_EQ(more.find("no pods"), std::string::npos);
}

TEST_F(Problems, AreToldToBeOverOnce) {
  static_cast<void>(tell({"no pods", "no manifests"}));
  const std::string over = tell({"no manifests"});
  EXPECT_THAT(over, HasSubstr(" info a problem is over problem=\"no pods\"\n"));
  EXPECT_EQ(over.find("no manifests"), std::string::npos);
  EXPECT_THAT(tell({"no manifests"}), IsEmpty());
}

TEST_F(Problems, ThatComeAgainAreToldAgain) {
  static_cast<void>(tell({"no pods"}));
  static_cast<void>(tell({}));
  EXPECT_THAT(tell({"no pods"}), HasSubstr(" warn no pods\n"));
}

}  // namespace
}  // namespace evictd::daemon
