// SPDX-License-Identifier: Apache-2.0
#include "cli/admit.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <ostream>
#include <utility>
#include <vector>

#include "base/fd.h"
#include "base/json_text.h"
#include "base/one_line.h"
#include "base/read_up_to.h"
#include "base/unix_socket.h"
#include "cli/refusal.h"
#include "cli/terminal.h"
#include "cluster/document.h"
#include "cluster/manifest.h"
#include "evictd/try.h"
#include "eviction/admit.h"
#include "eviction/pod_facts.h"

namespace evictd::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kAdmitted = 0;
constexpr int kRefused = 1;

constexpr std::string_view kAllowedConditions = "MemoryPressure, DiskPressure, PIDPressure";

struct PodAnswer {
  cluster::Manifest manifest;
  eviction::PodFacts facts;
  eviction::Admission admission;
};

bool add_condition(std::string_view name, eviction::ConditionSet& conditions) {
  for (const eviction::Condition condition : eviction::kConditions) {
    if (to_string(condition) == name) {
      conditions.add(condition);
      return true;
    }
  }
  return false;
}

std::string_view without_blanks_around(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  return first == std::string_view::npos
             ? std::string_view()
             : text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// Parses --conditions: words separated by commas, or nothing.
Result<eviction::ConditionSet> conditions_from(std::string_view list) {
  eviction::ConditionSet conditions;
  if (without_blanks_around(list).empty()) {
    return conditions;
  }
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    const std::string_view name = without_blanks_around(list.substr(begin, end - begin));
    if (!add_condition(name, conditions)) {
      return fail(Errc::kInvalid, fmt::format("--conditions: \"{}\": {}; allowed: {}, "
                                              "separated by commas, or nothing",
                                              name.empty() ? list : name,
                                              name.empty() ? "a comma without a condition beside it"
                                                           : "unknown condition",
                                              kAllowedConditions));
    }
    begin = end + 1;
  }
  return conditions;
}

Result<eviction::Compat> compat_from(std::string_view text) {
  if (text == "1.32") {
    return eviction::Compat::k1_32;
  }
  if (text == "1.26") {
    return eviction::Compat::k1_26;
  }
  return fail(Errc::kInvalid,
              fmt::format("compatibility: \"{}\": unknown; allowed: 1.32, 1.26", text));
}

Result<NodeView> supposed_node(std::string_view list, std::string_view compatibility) {
  EVICTD_ASSIGN_OR_RETURN(const eviction::ConditionSet conditions, conditions_from(list));
  EVICTD_ASSIGN_OR_RETURN(const eviction::Compat compat, compat_from(compatibility));
  return NodeView{.conditions = conditions, .compatibility = compat};
}

/// Extracts the node's conditions and compatibility from a daemon's status.
Result<NodeView> node_of(const nlohmann::json& status) {
  const auto conditions = status.find("conditions");
  const auto version = status.find("compatibility");
  if (conditions == status.end() || !conditions->is_array() || version == status.end() ||
      !version->is_string()) {
    return fail(Errc::kMalformed, "the answer has no conditions or no compatibility");
  }
  NodeView node;
  for (const nlohmann::json& condition : *conditions) {
    const bool is_one = condition.is_object() && condition.contains("status") &&
                        condition["status"].is_boolean() && condition.contains("type") &&
                        condition["type"].is_string();
    if (!is_one) {
      return fail(Errc::kMalformed, "a condition has no type, or a status that is not a boolean");
    }
    const auto name = condition["type"].get<std::string>();
    if (condition["status"].get<bool>() && !add_condition(name, node.conditions)) {
      return fail(Errc::kMalformed,
                  fmt::format("the condition \"{}\" in the answer is not known; known: {}", name,
                              kAllowedConditions));
    }
  }
  EVICTD_ASSIGN_OR_RETURN(const eviction::Compat compat, compat_from(version->get<std::string>()));
  node.compatibility = compat;
  return node;
}

Result<NodeView> running_node(const std::string& socket) {
  const Result<std::string> answer =
      base::request_line(socket, nlohmann::json{{"op", "status"}}.dump());
  if (!answer) {
    return fail(answer.error().code, answer.error().message() + "; is evictd running, and is " +
                                         socket +
                                         " its controlSocket? --conditions works without it");
  }
  if (const std::string refusal = refusal_in(*answer); !refusal.empty()) {
    return fail(Errc::kInvalid, refusal);
  }
  const auto status = base::parse_json<nlohmann::json>(*answer).value_or(nullptr);
  if (!status.is_object()) {
    return fail(Errc::kMalformed, socket + ": the answer is not a JSON object");
  }
  Result<NodeView> node = node_of(status);
  return node ? node : Result<NodeView>(fail_in(socket, node.error()));
}

/// Also reads files that are not regular: a shell's "<(command)" is a FIFO.
Result<std::string> read_text(const std::string& path) {
  // A longer text is cut after the limit, so that the document reader refuses it.
  const std::size_t most = cluster::DocumentLimits{}.bytes + 1;
  if (path == "-") {
    return base::read_up_to(STDIN_FILENO, most, "standard input");
  }
  const base::Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) {
    return fail_errno(errno, "open " + path);
  }
  return base::read_up_to(file.get(), most, path);
}

constexpr const char* kBlanks = " \t\r\n";

/// Whether a text is in braces or brackets, as JSON is.
bool may_be_json(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  return first != std::string_view::npos && (text[first] == '{' || text[first] == '[');
}

/// Whether an unreadable text was meant as JSON. YAML also has braces, and keys in them without
/// quotes.
bool is_meant_as_json(std::string_view text) {
  const std::size_t second = text.find_first_not_of(kBlanks, text.find_first_not_of(kBlanks) + 1);
  return second == std::string_view::npos ||
         std::string_view("\"{}[]").find(text[second]) != std::string_view::npos;
}

/// Anything that parses as JSON is read as JSON, so that its errors are about JSON; the rest is
/// YAML.
Result<std::vector<cluster::Manifest>> read_pods(const std::string& path) {
  EVICTD_ASSIGN_OR_RETURN(const std::string text, read_text(path));
  const auto parse = [&](cluster::DocumentFormat format) {
    return cluster::parse_manifests(text, path == "-" ? "standard input" : path, format,
                                    cluster::ManifestKind::kSubmitted);
  };
  const bool as_json = may_be_json(text);
  Result<std::vector<cluster::Manifest>> pods =
      parse(as_json ? cluster::DocumentFormat::kJson : cluster::DocumentFormat::kYaml);
  const bool is_no_json = as_json && !pods && pods.error().code == Errc::kMalformed;
  if (is_no_json && !path.ends_with(".json")) {
    // A mapping in braces can also be YAML, and so can several of them.
    Result<std::vector<cluster::Manifest>> yaml = parse(cluster::DocumentFormat::kYaml);
    if (yaml || !is_meant_as_json(text)) {
      pods = std::move(yaml);
    }
  }
  if (pods && pods->empty()) {
    return fail(Errc::kInvalid, path + ": no pod; allowed: v1.Pod, v1.PodList or v1.List objects");
  }
  return pods;
}

std::string name_of(const eviction::Pod& pod) {
  return pod.ns + "/" + pod.name;
}

void print_text(const std::vector<PodAnswer>& answers, std::ostream& out) {
  for (const PodAnswer& answer : answers) {
    const std::string said =
        answer.admission.admitted
            ? "admitted"
            : fmt::format("refused: {}: {}", answer.admission.reason, answer.admission.message);
    out << base::one_line(name_of(answer.manifest.pod) + ": " + said) << '\n';
  }
}

void print_json(const std::vector<PodAnswer>& answers, const NodeView& node, std::ostream& out) {
  Json conditions = Json::array();
  for (const eviction::Condition condition : eviction::kConditions) {
    if (node.conditions.has(condition)) {
      conditions.push_back(to_string(condition));
    }
  }
  Json pods = Json::array();
  for (const PodAnswer& answer : answers) {
    pods.push_back({{"namespace", answer.manifest.pod.ns},
                    {"name", answer.manifest.pod.name},
                    {"admitted", answer.admission.admitted},
                    {"reason", answer.admission.reason},
                    {"message", answer.admission.message},
                    {"qos", eviction::qos_text(answer.manifest.pod, node.compatibility)},
                    {"critical", answer.facts.is_critical},
                    {"origin", answer.manifest.origin}});
  }
  const Json whole = {
      {"compatibility", node.compatibility == eviction::Compat::k1_26 ? "1.26" : "1.32"},
      {"conditions", std::move(conditions)},
      {"pods", std::move(pods)}};
  out << json_line(whole) << '\n';
}

int report(const Error& error, std::ostream& errors) {
  errors << "evictctl: " << base::one_line(error.message()) << '\n';
  return kNoAnswer;
}

}  // namespace

int admit(const AdmitOptions& options, std::ostream& out, std::ostream& errors) {
  const Result<NodeView> node =
      options.conditions
          ? supposed_node(*options.conditions, options.compatibility.value_or("1.32"))
          : running_node(options.socket);
  if (!node) {
    return report(node.error(), errors);
  }
  Result<std::vector<cluster::Manifest>> pods = read_pods(options.path);
  if (!pods) {
    return report(pods.error(), errors);
  }
  std::vector<PodAnswer> answers;
  bool all_admitted = true;
  for (cluster::Manifest& manifest : *pods) {
    const eviction::PodFacts facts = eviction::facts_of(manifest.pod, node->compatibility);
    eviction::Admission admission = eviction::admit(facts, node->conditions);
    all_admitted = all_admitted && admission.admitted;
    answers.push_back({std::move(manifest), facts, std::move(admission)});
  }
  if (options.json) {
    print_json(answers, *node, out);
  } else {
    print_text(answers, out);
  }
  return all_admitted ? kAdmitted : kRefused;
}

}  // namespace evictd::cli
