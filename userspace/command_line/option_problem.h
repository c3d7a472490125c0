// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/App.hpp>
#include <span>
#include <string>

namespace evictd::command_line {

/// What is wrong with the first long option that neither `app` nor the subcommand before it has,
/// "--sockat: unknown option of status, the nearest is --socket", or with the first flag that is
/// given a value, `--json: "3": not allowed; allowed: --json without a value`; empty if there is
/// neither. `others` are options, with their dashes, that somebody else has taken out of
/// `arguments`; one of them may be the nearest. To be asked before `app` parses, which tells of an
/// option that is missing first.
[[nodiscard]] std::string option_problem(const CLI::App& app,
                                         std::span<const std::string> arguments,
                                         std::span<const std::string> others = {});

}  // namespace evictd::command_line
