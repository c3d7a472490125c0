// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/unix_socket.h"
#include "cli/command.h"
#include "cli/compare_text.h"
#include "cli/terminal.h"
#include "config/file_text.h"
#include "evictd/try.h"

namespace evictd::cli {

namespace {

using exporting::Comparison;

struct CompareOptions {
  std::string place = "/run/evictd-kube/status.sock";
  bool json = false;
};

/// Far above what evictd-kube keeps.
constexpr std::size_t kLongestFile = std::size_t{64} << 20U;

Result<std::vector<Comparison>> read_from(const std::string& place) {
  std::error_code ignored;
  if (std::filesystem::is_regular_file(place, ignored)) {
    const Result<std::string> text = config::read_file(place, kLongestFile);
    return text ? read_comparison_lines(*text, place) : Failure(text.error());
  }
  EVICTD_ASSIGN_OR_RETURN(
      const std::string answer,
      EVICTD_IN("is evictd-kube running with mode: observe, or is there such a file?",
                base::request_line(place, nlohmann::json{{"op", "compare"}}.dump())));
  return read_comparison_answer(answer);
}

int compare(const CompareOptions& options) {
  const Result<std::vector<Comparison>> comparisons = read_from(options.place);
  if (!comparisons) {
    complain(comparisons.error().message());
    return kExitFailed;
  }
  if (!options.json) {
    print_comparisons(*comparisons, std::cout);
    return kExitOk;
  }
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Comparison& comparison : *comparisons) {
    list.push_back(exporting::to_json(comparison));
  }
  std::cout << json_line({{"comparisons", std::move(list)},
                          {"summary", exporting::to_json(exporting::summary_of(*comparisons))}})
            << '\n';
  return kExitOk;
}

}  // namespace

void add_compare(CLI::App& app, int& exit_status) {
  auto options = std::make_shared<CompareOptions>();
  CLI::App* command = app.add_subcommand(
      "compare",
      "Compares a dry run of evictd with the kubelet's evictions, both observed by evictd-kube "
      "with mode: observe: whether they chose the same pod, which was earlier and by how much, and "
      "how much more was available then.");
  command
      ->add_option("PLACE", options->place,
                   "the file \"comparisons\" of evictd-kube's stateDirectory, or its status socket")
      ->capture_default_str();
  command->add_flag("--json", options->json, "print one JSON object instead of text");
  command->callback([options, &exit_status] { exit_status = compare(*options); });
}

}  // namespace evictd::cli
