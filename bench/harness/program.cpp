// SPDX-License-Identifier: Apache-2.0
#include "harness/program.h"

#include <CLI/CLI.hpp>
#include <cstdio>

#include "harness/interrupt.h"

namespace evictd::bench {

int run_program(const Program& program, int argc, char** argv) {
  std::filesystem::path out =
      std::filesystem::path{EVICTD_SOURCE_DIR} / "bench/results" / (program.name + ".json");
  bool quick = false;
  CLI::App app{program.purpose};
  program.add_options(app);
  app.add_flag("--quick", quick, program.quick_means);
  app.add_option("--out", out, "where the raw results go");
  CLI11_PARSE(app, argc, argv);
  if (quick) {
    program.be_quick();
  }
  const Interrupt interrupt;
  if (const Result<> ran = program.run(out); !ran) {
    std::fprintf(stderr, "bench-%s: %s\n", program.name.c_str(), ran.error().message().c_str());
    return 1;
  }
  return 0;
}

std::filesystem::path programs_directory() {
  return std::filesystem::canonical("/proc/self/exe").parent_path();
}

}  // namespace evictd::bench
