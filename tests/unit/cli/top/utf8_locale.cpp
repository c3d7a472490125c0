// SPDX-License-Identifier: Apache-2.0
#include "utf8_locale.h"

#include <gtest/gtest.h>

#include <clocale>

namespace evictd::cli::top {

void use_utf8_locale() {
  ASSERT_NE(std::setlocale(LC_CTYPE, "C.UTF-8"), nullptr);
}

}  // namespace evictd::cli::top
