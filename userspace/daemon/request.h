// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "base/line_server.h"
#include "evictd/result.h"

namespace evictd::daemon {

/// What the control socket answers where something is wrong, without a line end.
[[nodiscard]] std::string error_line(const std::string& text);

/// The control socket at `path`: its limits, and what is told to whom they turn away.
[[nodiscard]] base::LineServer::Options control_socket(std::filesystem::path path);

/// One line of the control socket. The answer is_discarded() for what is no JSON, for what has a
/// key twice, and for what nests deeper than any request does: a line holds tens of thousands of
/// brackets, and the tree of those would keep the ordinary thread from its work for a tenth of a
/// second.
nlohmann::ordered_json parse_request(std::string_view line);

/// Whether `request`, an object with this "op", has no member that means nothing to it: a "signal"
/// that is mistyped would make a pause of one signal one of all. Of a request that changes nothing
/// any member is taken. Errors: kInvalid, naming the first with what is allowed.
[[nodiscard]] Result<> expect_known_members(std::string_view op,
                                            const nlohmann::ordered_json& request);

}  // namespace evictd::daemon
