// SPDX-License-Identifier: Apache-2.0
#include "cli/check_config.h"

#include <nlohmann/json.hpp>
#include <ostream>

#include "config/effective.h"

namespace evictd::cli {
namespace {

constexpr int kValid = 0;
constexpr int kNotValid = 1;

int report_error(const CheckConfigOptions& options, const Error& error, std::ostream& out,
                 std::ostream& errors) {
  if (options.json) {
    const nlohmann::json object = {{"error", error.message()}};
    out << object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
  } else {
    errors << "error: " << error.message() << '\n';
  }
  return kNotValid;
}

}  // namespace

int check_config(const CheckConfigOptions& options, std::ostream& out, std::ostream& errors) {
  const Result<config::Config> config = config::load(options.sources, options.vocabulary);
  if (!config) {
    return report_error(options, config.error(), out, errors);
  }
  if (options.json) {
    out << config::effective_json(*config) << '\n';
    return kValid;
  }
  for (const config::Warning& warning : config->warnings()) {
    errors << "warning: " << warning.text << '\n';
  }
  if (!config->ignored().empty()) {
    errors << "note: these settings of the kubelet have no meaning here: "
           << config::to_string(config->ignored()) << '\n';
  }
  if (!options.quiet) {
    out << config::effective_yaml(*config);
  }
  return kValid;
}

}  // namespace evictd::cli
