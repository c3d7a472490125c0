// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <iostream>
#include <nlohmann/json.hpp>

#include "base/system_clock.h"
#include "cli/command.h"
#include "cli/explain_text.h"
#include "cli/record_source.h"
#include "export/json_time.h"

namespace evictd::cli {

namespace {

using Json = nlohmann::ordered_json;

struct ExplainOptions {
  RecordSource source;
  std::string what = "last";
  std::string at;
  bool json = false;
};

Json answer_json(const Answer& answer) {
  Json record = exporting::to_json(*answer.record);
  Json pod = nullptr;
  if (answer.pod != nullptr) {
    for (const Json& candidate : record["ranking"]) {
      if (candidate["uid"] == answer.pod->uid) {
        pod = candidate;
      }
    }
  }
  return {{"story", story_of(answer)}, {"pod", std::move(pod)}, {"record", std::move(record)}};
}

Result<Answer> answer_question(const ExplainOptions& options, const Records& records) {
  Question question{.what = options.what, .at = std::nullopt};
  if (!options.at.empty()) {
    const Result<WallTime> at = moment_of(options.at, base::SystemClock().wall_now());
    if (!at) {
      return fail_in("--at", at.error());
    }
    question.at = *at;
  }
  return find_answer(records.decisions, question);
}

int explain(const ExplainOptions& options) {
  const Result<Records> records = load_records(options.source);
  if (!records) {
    std::cerr << "evictctl: " << records.error().message() << '\n';
    return kExitFailed;
  }
  for (const std::string& warning : records->warnings) {
    std::cerr << "evictctl: warning: " << warning << '\n';
  }
  const Result<Answer> answer = answer_question(options, *records);
  if (!answer) {
    std::cerr << "evictctl: " << answer.error().message() << '\n';
    return kExitFailed;
  }
  if (options.json) {
    std::cout << answer_json(*answer).dump(-1, ' ', /*ensure_ascii=*/false,
                                           Json::error_handler_t::replace)
              << '\n';
  } else {
    print_answer(*answer, std::cout);
  }
  return kExitOk;
}

}  // namespace

void add_explain(CLI::App& app, int& exit_status) {
  auto options = std::make_shared<ExplainOptions>();
  CLI::App* command = app.add_subcommand(
      "explain",
      "Tells why a pod was evicted, why another one was not, or why nobody was: what was seen, how "
      "each threshold stood, every candidate with the rule that passed it over, and the time "
      "line.");
  command
      ->add_option("what", options->what,
                   "\"last\" eviction, the id of a decision, or a pod: namespace/name, name or uid")
      ->capture_default_str();
  command
      ->add_option("--at", options->at,
                   "the decision in force at this time: 2026-01-31T12:00:00Z, or 5m for so long "
                   "ago")
      ->check(moment_problem);
  command->add_flag("--json", options->json, "one JSON object: story, pod and the whole record");
  command->add_option("--file", options->source.file,
                      "read this record file instead of asking the daemon");
  command->add_option("--socket", options->source.socket, "evictd's control socket")
      ->capture_default_str();
  command->callback([options, &exit_status] { exit_status = explain(*options); });
}

}  // namespace evictd::cli
