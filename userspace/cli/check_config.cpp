// SPDX-License-Identifier: Apache-2.0
#include "cli/check_config.h"

#include <nlohmann/json.hpp>
#include <ostream>
#include <utility>
#include <vector>

#include "base/one_line.h"
#include "cli/terminal.h"
#include "config/effective.h"
#include "config/node_warnings.h"
#include "config/reservation.h"

namespace evictd::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kValid = 0;
constexpr int kNotValid = 1;

int report_error(const CheckConfigOptions& options, const Error& error, std::ostream& out,
                 std::ostream& errors) {
  if (options.json) {
    const Json object = {{"error", error.message()}};
    out << json_line(object) << '\n';
  } else {
    errors << "error: " << base::one_line(error.message()) << '\n';
  }
  return kNotValid;
}

/// Output besides the effective configuration.
struct Findings {
  std::vector<config::Warning> warnings;
  std::vector<config::Reservation> reservations;
};

void print_json(const config::Config& config, const Findings& findings, std::ostream& out) {
  Json whole = Json::parse(config::effective_json(config));
  whole["warnings"] = Json::array();
  for (const config::Warning& warning : findings.warnings) {
    whole["warnings"].push_back({{"key", warning.key}, {"text", warning.text}});
  }
  whole["reservation"] = Json::object();
  for (const config::Reservation& reservation : findings.reservations) {
    whole["reservation"][reservation.resource] =
        reservation.amount ? Json(reservation.amount->to_string()) : Json();
  }
  out << json_line(whole) << '\n';
}

}  // namespace

int check_config(const CheckConfigOptions& options, std::ostream& out, std::ostream& errors) {
  const Result<config::Config> config = config::load(options.sources, options.vocabulary);
  if (!config) {
    return report_error(options, config.error(), out, errors);
  }
  Findings findings{.warnings = config->warnings(), .reservations = {}};
  if (options.look_at_node) {
    const Result<config::NodeFacts> facts = options.look_at_node(*config);
    if (!facts) {
      return report_error(options, facts.error(), out, errors);
    }
    for (config::Warning& warning : config::find_node_warnings(*config, *facts)) {
      findings.warnings.push_back(std::move(warning));
    }
    findings.reservations = config::hard_eviction_reservation(*config, *facts);
  }
  if (options.json) {
    print_json(*config, findings, out);
    return kValid;
  }
  for (const config::Warning& warning : findings.warnings) {
    errors << "warning: " << base::one_line(warning.text) << '\n';
  }
  if (!config->ignored().empty()) {
    errors << "note: evictd ignores these kubelet settings: "
           << base::one_line(config::to_string(config->ignored())) << '\n';
  }
  if (!options.quiet) {
    out << config::effective_yaml(*config);
    if (options.look_at_node) {
      out << config::to_yaml_comment(findings.reservations);
    }
  }
  return kValid;
}

}  // namespace evictd::cli
