// SPDX-License-Identifier: Apache-2.0
// Judges the pipeline against recorded cases, or answers cases for another judge.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <optional>

#include "base/json_text.h"
#include "base/standard_output.h"
#include "case_file.h"
#include "suite.h"

namespace evictd::vectors {
namespace {

/// Some case failed.
constexpr int kExitFailed = 1;
/// A file or a case could not be read, or an answer not be written.
constexpr int kExitBroken = 2;

struct Options {
  std::filesystem::path directory;
  std::optional<std::filesystem::path> answers;
  eviction::Compat compat = eviction::Compat::k1_32;
  bool verbose = false;
};

/// What came of one file.
struct Tally {
  std::size_t passed = 0;
  std::size_t total = 0;
  std::size_t broken = 0;
};

/// One case, taken apart.
struct CaseLine {
  std::string place;  // FILE:LINE
  Json id;
  Json input;
  std::optional<Json> expected;
};

Result<CaseLine> read_case(const CaseFile& file, const Line& line) {
  CaseLine result{file.path.string() + ":" + std::to_string(line.number), {}, {}, {}};
  Result<Json> parsed = base::parse_json<Json>(line.text);
  if (!parsed) {
    return fail(parsed.error().code, result.place + ": " + parsed.error().context);
  }
  Json& object = *parsed;
  if (!object.is_object() || !object.contains("id") || !object.contains("input")) {
    return fail(Errc::kMalformed, result.place + ": a case must have \"id\" and \"input\"");
  }
  result.id = object["id"];
  result.input = std::move(object["input"]);
  if (object.contains("expected")) {
    result.expected = std::move(object["expected"]);
  }
  return result;
}

void complain(const std::string& what) {
  std::cerr << "evictd-vectors: " << what << "\n";
}

void report_failure(const CaseLine& subject, const Json& actual) {
  std::cout << subject.place << ": " << subject.id.dump() << " failed\n  input    "
            << subject.input.dump() << "\n  expected " << subject.expected->dump()
            << "\n  actual   " << actual.dump() << "\n";
}

/// An `expected` that is not of the schema is one that no answer is right for.
bool accepts(const Suite& suite, const Json& expected, const Json& actual) {
  try {
    return suite.accepts(expected, actual);
  } catch (const Json::exception&) {
    return false;
  }
}

/// Judges or answers one case and adds it to the tally.
void run_case(const Suite& suite, const Options& options, const Result<CaseLine>& subject,
              std::ostream* answers, Tally& tally) {
  ++tally.total;
  if (!subject) {
    complain(subject.error().message());
    ++tally.broken;
    return;
  }
  const Result<Json> actual = suite.answer(subject->input, options.compat);
  if (!actual) {
    complain(subject->place + ": " + actual.error().message());
    ++tally.broken;
    return;
  }
  if (answers != nullptr) {
    *answers << Json{{"id", subject->id}, {"actual", *actual}}.dump() << "\n";
    ++tally.passed;
    return;
  }
  if (!subject->expected) {
    complain(subject->place + ": no \"expected\"; use --answers for such cases");
    ++tally.broken;
    return;
  }
  if (accepts(suite, *subject->expected, *actual)) {
    ++tally.passed;
  } else if (options.verbose) {
    report_failure(*subject, *actual);
  }
}

int run_file(const Options& options, const CaseFile& file) {
  const Suite* const suite = find_suite(file.suite);
  if (suite == nullptr) {
    std::cout << file.name << " unsupported\n";
    return 0;
  }
  const Result<std::string> text = read_text(file);
  if (!text) {
    complain(text.error().message());
    return kExitBroken;
  }
  std::ofstream answers;
  if (options.answers) {
    answers.open(*options.answers / file.name);
  }
  Tally tally;
  for (const Line& line : lines_of(*text)) {
    run_case(*suite, options, read_case(file, line), options.answers ? &answers : nullptr, tally);
  }
  if (options.answers && !answers.flush()) {
    complain((*options.answers / file.name).string() + ": cannot be written");
    return kExitBroken;
  }
  std::cout << file.name << (options.answers ? " answered " : " ") << tally.passed << "/"
            << tally.total << "\n";
  return tally.broken > 0 ? kExitBroken : (tally.passed < tally.total ? kExitFailed : 0);
}

int run(const Options& options) {
  const Result<std::vector<CaseFile>> files = find_case_files(options.directory);
  if (!files) {
    complain(files.error().message());
    return kExitBroken;
  }
  if (options.answers) {
    std::error_code error;
    std::filesystem::create_directories(*options.answers, error);
    if (error) {
      complain(options.answers->string() + ": " + error.message());
      return kExitBroken;
    }
    if (std::filesystem::equivalent(*options.answers, options.directory, error)) {
      complain(options.answers->string() + " is DIR: answers would replace the case files");
      return kExitBroken;
    }
    if (const Result<> allowed = check_answers(*files, *options.answers); !allowed) {
      complain(allowed.error().message());
      return kExitBroken;
    }
  }
  int worst = 0;
  for (const CaseFile& file : *files) {
    worst = std::max(worst, run_file(options, file));
  }
  return worst;
}

/// The exit status of what would end with `status`, or of a program whose output is lost.
int finish(int status) {
  const Result<> written = base::flush_standard_output();
  if (written) {
    return status;
  }
  complain(written.error().message());
  return kExitBroken;
}

}  // namespace
}  // namespace evictd::vectors

int main(int argc, char** argv) {
  evictd::vectors::Options options;
  std::string compat = "1.32";
  std::string answers;
  CLI::App app(
      "Judges evictd's pipeline against recorded cases: every *.jsonl and *.jsonl.zst file in "
      "DIR,\n"
      "named after its kind (quantity, parse_thresholds, thresholds, observations, qos,\n"
      "rank_memory, rank_pid, rank_disk, messages, notifier, synchronize). Prints a line a file:\n"
      "FILE passed/total, or FILE unsupported for a kind that is not known.\n"
      "Exit status: 0 all passed, 1 a case failed, 2 something could not be read or written.",
      "evictd-vectors");
  app.option_defaults()->disable_flag_override();
  app.add_option("DIR", options.directory, "directory with case files")->required();
  app.add_option("--compat", compat, "the kubelet to be like, 1.26 or 1.32 (default 1.32)")
      ->check(CLI::IsMember({"1.26", "1.32"}));
  app.add_flag("--verbose", options.verbose, "print input, expected and actual of failed cases");
  app.add_option(
         "--answers", answers,
         "judge nothing: write {\"id\", \"actual\"} for each case to OUTDIR, into a file of\n"
         "the case file's name; cases may lack \"expected\"")
      ->type_name("OUTDIR")
      ->check([](const std::string& given) {
        return std::string(given.empty() ? "\"\": not allowed; allowed: a directory" : "");
      });
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int status = app.exit(error);
    return evictd::vectors::finish(status == 0 ? 0 : evictd::vectors::kExitBroken);
  }
  options.compat =
      compat == "1.26" ? evictd::eviction::Compat::k1_26 : evictd::eviction::Compat::k1_32;
  if (!answers.empty()) {
    options.answers = answers;
  }
  return evictd::vectors::finish(evictd::vectors::run(options));
}
