// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "config/kubelet_flags.h"

namespace CLI {
class App;
}

namespace evictd::cli {

/// Exit statuses of evictctl, unless a subcommand documents its own.
inline constexpr int kExitOk = 0;
/// The answer is no, or the operation failed.
inline constexpr int kExitFailed = 1;
/// The command line is wrong; nothing was done.
inline constexpr int kExitUsage = 2;

/// Adds one subcommand to `app`. Its callback stores the exit status in `exit_status`, which must
/// outlive the parse.
void add_admit(CLI::App& app, int& exit_status);
void add_brakes(CLI::App& app, int& exit_status);
/// `flags` are the kubelet's flags; they have their own syntax and were taken off the command line
/// before.
void add_check_config(CLI::App& app, int& exit_status, const std::vector<config::GivenFlag>& flags);
void add_compare(CLI::App& app, int& exit_status);
void add_demo(CLI::App& app, int& exit_status);
void add_doctor(CLI::App& app, int& exit_status);
void add_events(CLI::App& app, int& exit_status);
void add_explain(CLI::App& app, int& exit_status);
void add_listen(CLI::App& app, int& exit_status);
void add_replay(CLI::App& app, int& exit_status);
void add_status(CLI::App& app, int& exit_status);
void add_top(CLI::App& app, int& exit_status);

/// The daemon's control socket unless its configuration names another one.
inline constexpr const char* kDefaultControlSocket = "/run/evictd/control.sock";

}  // namespace evictd::cli
