// SPDX-License-Identifier: Apache-2.0
#include "config/config.h"

#include <fmt/format.h>

#include "config/file_text.h"
#include "config/validator.h"
#include "config/yaml_tree.h"
#include "evictd/try.h"

namespace evictd::config {

std::string Settings::state_file_path() const {
  if (state_file == "none") {
    return {};
  }
  return state_file.empty() ? runtime_directory + "/state" : state_file;
}

std::string Settings::control_socket_path() const {
  return control_socket.empty() ? runtime_directory + "/control.sock" : control_socket;
}

InKernelBrake Settings::in_kernel_brake_mode() const {
  const bool kills_at_once = hard_eviction.grace_period == std::chrono::seconds(0);
  return in_kernel_brake.mode.value_or(kills_at_once && event_source != EventSource::kPoll
                                           ? InKernelBrake::kBackstop
                                           : InKernelBrake::kOff);
}

std::string to_string(const Origin& origin) {
  switch (origin.kind) {
    case Origin::Kind::kDefault:
      return "default";
    case Origin::Kind::kCompat:
      return fmt::format("default of compatibility {}", origin.source);
    case Origin::Kind::kFile:
      return fmt::format("{}:{}", origin.source, origin.line);
    case Origin::Kind::kFlag:
      return fmt::format("flag {}", origin.source);
  }
  return "unknown";
}

std::string to_string(const std::vector<Ignored>& ignored) {
  std::string text;
  for (const Ignored& field : ignored) {
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", field.key, to_string(field.origin));
  }
  return text;
}

Config Config::defaults() {
  // An empty file cannot be wrong.
  return parse("", "defaults").value();
}

Origin Config::origin(std::string_view key) const {
  const auto found = origins_.find(key);
  return found == origins_.end() ? Origin{} : found->second;
}

Result<Config> load_file(const std::filesystem::path& path, const Vocabulary& vocabulary) {
  EVICTD_ASSIGN_OR_RETURN(const std::string text, read_file(path, YamlLimits{}.bytes));
  return parse(text, path.string(), vocabulary);
}

Result<Config> parse(std::string_view text, std::string_view filename,
                     const Vocabulary& vocabulary) {
  EVICTD_ASSIGN_OR_RETURN(const YamlNode root, parse_yaml(text, filename));
  Validator validator(vocabulary);
  EVICTD_TRY(validator.read_own(root, filename));
  return validator.finish(filename);
}

}  // namespace evictd::config
