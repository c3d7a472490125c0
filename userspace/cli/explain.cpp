// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "base/one_line.h"
#include "base/system_clock.h"
#include "base/unix_socket.h"
#include "cli/command.h"
#include "cli/explain_absent.h"
#include "cli/explain_loop.h"
#include "cli/explain_text.h"
#include "cli/record_source.h"
#include "cli/terminal.h"
#include "evictd/try.h"
#include "export/json_time.h"

namespace evictd::cli {

namespace {

using Json = nlohmann::ordered_json;

struct ExplainOptions {
  RecordSource source;
  std::string what = "last";
  std::string at;
  std::string kube_socket = "/run/evictd-kube/status.sock";
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
  if (pod.is_null() && answer.local != nullptr) {
    for (const Json& candidate : record["local_candidates"]) {
      if (candidate["uid"] == answer.local->uid) {
        pod = candidate;
      }
    }
  }
  return {{"story", story_of(answer)}, {"pod", std::move(pod)}, {"record", std::move(record)}};
}

void print_object(const Json& answer) {
  std::cout << json_line(answer) << '\n';
}

/// What the running daemon knows of a pod without a record. Empty if it knows no such pod, or if
/// the user asked for a file or a moment.
std::vector<std::string> ask_about_absent(const ExplainOptions& options) {
  if (!options.source.file.empty() || !options.at.empty() || options.what == "last") {
    return {};
  }
  const Result<std::string> status =
      base::request_line(options.source.socket, Json{{"op", "status"}}.dump());
  return status ? story_of_absent(base::parse_json<Json>(*status).value_or(Json()), options.what)
                : std::vector<std::string>();
}

int explain_absent(const ExplainOptions& options, const Error& not_found) {
  const std::vector<std::string> story = ask_about_absent(options);
  if (options.json) {
    print_object({{"story", story.empty() ? std::vector<std::string>{not_found.message()} : story},
                  {"pod", nullptr},
                  {"record", nullptr}});
  }
  if (story.empty()) {
    complain(not_found.message());
    return kExitFailed;
  }
  if (!options.json) {
    for (const std::string& sentence : story) {
      std::cout << base::one_line(sentence) << '\n';
    }
  }
  return kExitOk;
}

Result<Answer> answer_question(const ExplainOptions& options, const Records& records) {
  Question question{.what = options.what, .at = std::nullopt};
  if (!options.at.empty()) {
    EVICTD_ASSIGN_OR_RETURN(
        question.at, EVICTD_IN("--at", moment_of(options.at, base::SystemClock().wall_now())));
  }
  return find_answer(records.decisions, question);
}

/// A file may be from another node. Most nodes have no evictd-kube.
std::string ask_about_loop(const ExplainOptions& options, const exporting::EvictionRecord& record) {
  std::error_code ignored;
  if (!options.source.file.empty() || !record.has_victim() ||
      !std::filesystem::exists(options.kube_socket, ignored)) {
    return {};
  }
  const Result<std::string> status =
      base::request_line(options.kube_socket, Json{{"op", "status"}}.dump());
  if (!status) {
    warn("it is unknown whether a controller is in an eviction loop: " + status.error().message());
    return {};
  }
  return loop_text(base::parse_json<Json>(*status).value_or(Json()), record);
}

int explain(const ExplainOptions& options) {
  const Result<Records> records = load_records(options.source);
  if (!records) {
    complain(records.error().message());
    return kExitFailed;
  }
  for (const std::string& warning : records->warnings) {
    warn(warning);
  }
  Result<Answer> answer = answer_question(options, *records);
  if (!answer && answer.error().code == Errc::kNotFound) {
    return explain_absent(options, answer.error());
  }
  if (!answer) {
    complain(answer.error().message());
    return kExitFailed;
  }
  answer->loop = ask_about_loop(options, *answer->record);
  if (options.json) {
    print_object(answer_json(*answer));
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
      "Explains why a pod was evicted, why another one was not, or why none was: observations, "
      "thresholds, every candidate with the rule that passed it over, and the timeline. For a pod "
      "that took part in no decision: why, as far as the running evictd knows.");
  command
      ->add_option("what", options->what,
                   "\"last\" eviction, the id of a decision, or a pod: namespace/name, name or uid")
      ->capture_default_str();
  command
      ->add_option("--at", options->at,
                   "the decision in force at this time: 2026-01-31T12:00:00Z, or 5m for 5 minutes "
                   "ago")
      ->check(moment_problem);
  command->add_flag("--json", options->json,
                    "one JSON object: story, pod and the whole record, or null for these two");
  command->add_option("--file", options->source.file,
                      "read this record file instead of asking the daemon");
  command->add_option("--socket", options->source.socket, "evictd's control socket")
      ->capture_default_str();
  command
      ->add_option("--kube-socket", options->kube_socket,
                   "evictd-kube's status socket, if it runs: it knows eviction loops")
      ->capture_default_str();
  command->callback([options, &exit_status] { exit_status = explain(*options); });
}

}  // namespace evictd::cli
