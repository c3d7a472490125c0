// SPDX-License-Identifier: Apache-2.0
#include "demo/browser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evictd::demo {
namespace {

using testing::ElementsAre;
using testing::Optional;

constexpr const char* kAddress = "http://127.0.0.1:9879/";

TEST(OpeningThePage, TakesADisplayAndXdgOpen) {
  EXPECT_EQ(opener_of({.has_display = false, .xdg_open = "/usr/bin/xdg-open"}, kAddress),
            std::nullopt);
  EXPECT_EQ(opener_of({.has_display = true}, kAddress), std::nullopt);
  EXPECT_THAT(opener_of({.has_display = true, .xdg_open = "/usr/bin/xdg-open"}, kAddress),
              Optional(ElementsAre("/usr/bin/setsid", "--fork", "/usr/bin/xdg-open", kAddress)));
}

TEST(OpeningThePage, IsDoneAsWhoBecameRootBySudo) {
  const Desktop desktop{.has_display = true,
                        .xdg_open = "/usr/bin/xdg-open",
                        .person = Person{.uid = 1000, .gid = 1001, .home = "/home/ada"}};
  EXPECT_THAT(
      opener_of(desktop, kAddress),
      Optional(ElementsAre("/usr/bin/setsid", "--fork", "/usr/bin/setpriv", "--reuid=1000",
                           "--regid=1001", "--init-groups", "/usr/bin/env", "HOME=/home/ada",
                           "XDG_RUNTIME_DIR=/run/user/1000", "/usr/bin/xdg-open", kAddress)));
}

}  // namespace
}  // namespace evictd::demo
