// SPDX-License-Identifier: Apache-2.0
#include "harness/trials.h"

#include <CLI/CLI.hpp>
#include <utility>

#include "evictd/try.h"
#include "harness/interrupt.h"
#include "harness/program.h"

namespace evictd::bench {

int run_trial_program(const TrialProgram& program, int argc, char** argv) {
  constexpr int kMostTrials = 100000;
  TrialOptions options;
  options.trials = program.trials;
  return run_program({.name = program.name,
                      .purpose = program.purpose,
                      .add_options =
                          [&](CLI::App& app) {
                            add_count(app, "--trials", options.trials, kMostTrials, "trials a row");
                            app.add_option("--rows", options.rows.with, program.rows_are);
                            app.add_option("--without", options.rows.without, program.without_are);
                            if (program.add_options) {
                              program.add_options(app);
                            }
                          },
                      .quick_means = std::to_string(program.quick_trials) + " trials a row",
                      .be_quick = [&] { options.trials = program.quick_trials; },
                      .add_to_file = program.add_to_file,
                      .run =
                          [&](const std::filesystem::path& out) {
                            options.out = out;
                            return program.run(options);
                          }},
                     argc, argv);
}

Result<> run_trials(int trials, const std::function<Result<bool>()>& trial) {
  bool more = true;
  for (int done = 0; done < trials && more; ++done) {
    EVICTD_TRY(Interrupt::check());
    EVICTD_ASSIGN_OR_RETURN(const bool ran, trial());
    more = ran;
  }
  return Interrupt::check();
}

Result<VoidTrials> run_trials_again(int trials, int most,
                                    const std::function<Result<bool>()>& trial) {
  VoidTrials voids;
  const auto make = [&]() -> Result<bool> {
    Result<bool> more = trial();
    while (!more && voids.count < most) {
      EVICTD_TRY(Interrupt::check());
      ++voids.count;
      voids.reason = more.error().message();
      more = trial();
    }
    return more;
  };
  const Result<> ran = run_trials(trials, make);
  return ran ? Result<VoidTrials>{std::move(voids)} : tl::unexpected(ran.error());
}

}  // namespace evictd::bench
