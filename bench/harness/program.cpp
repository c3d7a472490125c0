// SPDX-License-Identifier: Apache-2.0
#include "harness/program.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>
#include <vector>

#include "command_line/option_problem.h"
#include "core/leading_zero.h"
#include "harness/interrupt.h"

namespace evictd::bench {
namespace {

constexpr int kExitFailed = 1;
constexpr int kExitUsage = 2;

/// The file of raw results unless one is named.
std::filesystem::path results_of(const Program& program) {
  const std::string added = program.add_to_file ? program.add_to_file() : std::string{};
  return std::filesystem::path{EVICTD_SOURCE_DIR} / "bench/results" /
         (program.name + added + ".json");
}

void check_count(CLI::Option& option, int most) {
  option.check(core::leading_zero_problem)->check(CLI::Range(1, most));
}

}  // namespace

int run_program(const Program& program, int argc, char** argv) {
  std::filesystem::path out;
  bool quick = false;
  const std::string called = "bench-" + program.name;
  CLI::App app{program.purpose, called};
  program.add_options(app);
  app.add_flag("--quick", quick, program.quick_means);
  app.add_option("--out", out, "where the raw results go");
  if (const std::string problem =
          command_line::option_problem(app, std::vector<std::string>(argv + 1, argv + argc));
      !problem.empty()) {
    std::fprintf(stderr, "%s: %s\n", called.c_str(), problem.c_str());
    return kExitUsage;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kExitUsage;
  }
  if (quick) {
    program.be_quick();
  }
  if (out.empty()) {
    out = results_of(program);
  }
  const Interrupt interrupt;
  if (const Result<> ran = program.run(out); !ran) {
    std::fprintf(stderr, "%s: %s\n", called.c_str(), ran.error().message().c_str());
    return kExitFailed;
  }
  return 0;
}

void add_count(CLI::App& app, const std::string& option, int& count, int most,
               const std::string& help) {
  check_count(*app.add_option(option, count, help), most);
}

void add_counts(CLI::App& app, const std::string& option, std::vector<int>& counts, int most,
                const std::string& help) {
  check_count(*app.add_option(option, counts, help), most);
}

std::filesystem::path programs_directory() {
  return std::filesystem::canonical("/proc/self/exe").parent_path();
}

}  // namespace evictd::bench
