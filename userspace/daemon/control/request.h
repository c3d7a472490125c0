// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "base/line_server.h"
#include "evictd/result.h"

namespace evictd::daemon {

/// The control socket's answer to an error, without a line end.
[[nodiscard]] std::string error_line(const std::string& text);

/// The control socket at `path`: its limits, and the answers to clients beyond them.
[[nodiscard]] base::LineServer::Options control_socket(std::filesystem::path path);

/// Parses one line of the control socket. The result is_discarded() for a line that is not JSON,
/// has a key twice, or nests deeper than any request. A line can hold tens of thousands of
/// brackets, and their tree would block the main thread for a tenth of a second.
nlohmann::ordered_json parse_request(std::string_view line);

/// Checks that `request`, an object with this "op", has no unknown member: a mistyped "signal"
/// would turn a pause of one signal into a pause of all. A request that changes nothing may have
/// any member. Errors: kInvalid, naming the first unknown member and the allowed ones.
[[nodiscard]] Result<> expect_known_members(std::string_view op,
                                            const nlohmann::ordered_json& request);

}  // namespace evictd::daemon
