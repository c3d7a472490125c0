// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "evictd/result.h"
#include "evictd/try.h"
#include "harness/selection.h"

namespace CLI {
class App;
}  // namespace CLI

namespace evictd::bench {

/// Command line options of a bench whose rows have a number of trials.
struct TrialOptions {
  int trials = 0;
  Selection rows;
  std::filesystem::path out;
};

/// The command line of such a bench: --trials, --rows and --without besides the common options.
struct TrialProgram {
  /// See Program.
  std::string name;
  std::string purpose;
  /// Trials per row, by default and with --quick.
  int trials = 20;
  int quick_trials = 2;
  /// What --rows and --without take, for --help.
  std::string rows_are;
  std::string without_are;
  /// See Program.
  std::function<void(CLI::App&)> add_options{};
  std::function<std::string()> add_to_file{};
  /// Measures, and writes the raw results to the file.
  std::function<Result<>(const TrialOptions&)> run;
};

/// As run_program.
int run_trial_program(const TrialProgram& program, int argc, char** argv);

/// Runs trials until `trials` are done, or one returns that further ones make no sense.
/// Errors: those of the trial; kBusy if the bench is interrupted before or after a trial, so that
/// half a row never counts as a whole one.
Result<> run_trials(int trials, const std::function<Result<bool>()>& trial);

/// Void trials of a row.
struct VoidTrials {
  int count = 0;
  /// Reason of the last one.
  std::string reason;
};

/// As run_trials(), but a failed trial is void and repeated, at most `most` times in the whole row.
/// Errors: that of the next void trial; kBusy.
Result<VoidTrials> run_trials_again(int trials, int most,
                                    const std::function<Result<bool>()>& trial);

/// Calls `row` for each of `rows` whose title is selected. Errors start with the title.
template <typename Rows, typename TitleOf, typename RunRow>
Result<> run_rows(const Selection& selected, const Rows& rows, const TitleOf& title_of,
                  const RunRow& run_row) {
  for (const auto& row : rows) {
    const std::string title{title_of(row)};
    if (!selected.wants(title)) {
      continue;
    }
    EVICTD_TRY(EVICTD_IN(title, run_row(row)));
  }
  return {};
}

}  // namespace evictd::bench
