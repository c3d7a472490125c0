// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/App.hpp>
#include <span>
#include <string>

namespace evictd::command_line {

/// An error message for the first unknown long option, "--sockat: unknown option of status, the
/// nearest is --socket", or the first flag with a value, `--json: "3": not allowed; allowed: --json
/// without a value`. Empty if there is neither. An option is unknown if neither `app` nor its
/// chosen subcommand has it. `others` are options, with dashes, that the caller already took out of
/// `arguments`; they may be suggested. Call it before `app` parses, because the parser reports
/// missing options first.
[[nodiscard]] std::string option_problem(const CLI::App& app,
                                         std::span<const std::string> arguments,
                                         std::span<const std::string> others = {});

}  // namespace evictd::command_line
