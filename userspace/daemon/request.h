// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

namespace evictd::daemon {

/// One line of the control socket. The answer is_discarded() for what is no JSON, for what has a
/// key twice, and for what nests deeper than any request does: a line holds tens of thousands of
/// brackets, and the tree of those would keep the ordinary thread from its work for a tenth of a
/// second.
nlohmann::ordered_json parse_request(std::string_view line);

}  // namespace evictd::daemon
