// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string_view>

#include "config/config.h"

namespace evictd::config {

/// A file's text as it is read; the defaults, and a failed test, where it is refused.
inline Config parsed(std::string_view text) {
  Result<Config> config = parse(text, "evictd.yaml");
  EXPECT_TRUE(config.has_value()) << config.error().message();
  return config.value_or(Config::defaults());
}

}  // namespace evictd::config
