// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "evictd/result.h"
#include "harness/selection.h"

namespace evictd::bench {

/// What the command line says of a bench whose rows are so many trials each.
struct TrialOptions {
  int trials = 0;
  Selection rows;
  std::filesystem::path out;
};

/// The command line of such a bench: --trials, --rows and --without beside those of every bench.
struct TrialProgram {
  /// As those of Program.
  std::string name;
  std::string purpose;
  /// Trials a row, and with --quick.
  int trials = 20;
  int quick_trials = 2;
  /// What --rows and --without take, for --help.
  std::string rows_are;
  std::string without_are;
  /// Measures, and writes the raw results to the file.
  std::function<Result<>(const TrialOptions&)> run;
};

/// As run_program.
int run_trial_program(const TrialProgram& program, int argc, char** argv);

/// Runs trials until there are so many, or one answers that it was the last that makes sense.
/// Errors: those of the trial; kBusy when the bench was interrupted, before or after a trial, so
/// that half a row is nowhere taken for a whole one.
Result<> run_trials(int trials, const std::function<Result<bool>()>& trial);

/// Trials of a row that came to nothing.
struct VoidTrials {
  int count = 0;
  /// Of the last of them.
  std::string reason;
};

/// As run_trials(), but a trial that fails is void and made again, `most` times in the whole row.
/// Errors: that of the void trial after these; kBusy.
Result<VoidTrials> run_trials_again(int trials, int most,
                                    const std::function<Result<bool>()>& trial);

/// `row` with each of `rows` that is selected by its title, which stands before what went wrong.
template <typename Rows, typename TitleOf, typename RunRow>
Result<> run_rows(const Selection& selected, const Rows& rows, const TitleOf& title_of,
                  const RunRow& run_row) {
  for (const auto& row : rows) {
    const std::string title{title_of(row)};
    if (!selected.wants(title)) {
      continue;
    }
    if (Result<> ran = run_row(row); !ran) {
      return fail_in(title, ran.error());
    }
  }
  return {};
}

}  // namespace evictd::bench
