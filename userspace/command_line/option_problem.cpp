// SPDX-License-Identifier: Apache-2.0
#include "command_line/option_problem.h"

#include <vector>

#include "core/nearest_name.h"

namespace evictd::command_line {
namespace {

/// The subcommand of that name; `app` itself if it has none.
const CLI::App& below(const CLI::App& app, const std::string& name) {
  for (const CLI::App* subcommand : app.get_subcommands({})) {
    if (subcommand->check_name(name)) {
      return *subcommand;
    }
  }
  return app;
}

std::string unknown(const std::string& name, const CLI::App& app,
                    std::span<const std::string> others) {
  std::vector<std::string> names(others.begin(), others.end());
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& known : option->get_lnames()) {
      names.push_back("--" + known);
    }
  }
  return name + ": unknown option of " + app.get_name() + ", the nearest is " +
         core::nearest_name(name, names);
}

/// For a flag: CLI11 would accept a value that switches it on, off, or on several times.
std::string value_of_a_flag(const std::string& name, const std::string& argument) {
  return name + ": \"" + argument.substr(name.size() + 1) + "\": not allowed; allowed: " + name +
         " without a value";
}

}  // namespace

std::string option_problem(const CLI::App& app, std::span<const std::string> arguments,
                           std::span<const std::string> others) {
  const CLI::App* current = &app;
  for (std::size_t i = 0; i < arguments.size() && arguments[i] != "--"; ++i) {
    const std::string& argument = arguments[i];
    const bool is_option = argument.size() > 1 && argument.starts_with('-');
    if (!is_option) {
      current = &below(*current, argument);
      continue;
    }
    const std::string name = argument.substr(0, argument.find('='));
    const CLI::Option* option = current->get_option_no_throw(name);
    if (option == nullptr && name.starts_with("--")) {
      return unknown(name, *current, others);
    }
    if (option != nullptr && name.size() != argument.size() &&
        option->get_items_expected_max() == 0) {
      return value_of_a_flag(name, argument);
    }
    const bool has_value_behind = option != nullptr && name.size() == argument.size();
    if (has_value_behind && option->get_items_expected_min() > 0) {
      ++i;
    }
  }
  return {};
}

}  // namespace evictd::command_line
