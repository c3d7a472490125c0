// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace evictd::cli {

/// What evictd says in place of an answer to any request, "evictd: TEXT" of {"error": TEXT}; empty
/// where `answer`, one line, is none of these. Cost: reads no more of an answer than its beginning.
[[nodiscard]] std::string refusal_in(std::string_view answer);

}  // namespace evictd::cli
