// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "evictd/result.h"

namespace CLI {
class App;
}  // namespace CLI

namespace evictd::bench {

/// The command line of every bench.
struct Program {
  /// "fault": for bench-fault and bench/results/fault.json.
  std::string name;
  /// What it measures, for --help.
  std::string purpose;
  /// Adds the bench's own options.
  std::function<void(CLI::App&)> add_options;
  /// The help text of --quick, and its effect.
  std::string quick_means;
  std::function<void()> be_quick;
  /// What to add to the name of the file of raw results, asked once the options are read. Null:
  /// nothing.
  std::function<std::string()> add_to_file{};
  /// Measures, and writes the raw results to the file.
  std::function<Result<>(const std::filesystem::path& out)> run;
};

/// Reads the arguments and runs the program. Returns the exit status: 1 if it failed, 2 for wrong
/// usage.
/// SIGINT and SIGTERM let it unwind.
int run_program(const Program& program, int argc, char** argv);

/// Adds an option with one number from 1 to `most`, or with several numbers.
void add_count(CLI::App& app, const std::string& option, int& count, int most,
               const std::string& help);
void add_counts(CLI::App& app, const std::string& option, std::vector<int>& counts, int most,
                const std::string& help);

/// Directory of this build's programs.
[[nodiscard]] std::filesystem::path programs_directory();

}  // namespace evictd::bench
