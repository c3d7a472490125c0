// SPDX-License-Identifier: Apache-2.0
#include "config/effective.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/one_line.h"
#include "config/keys.h"

namespace evictd::config {
namespace {

using Json = nlohmann::ordered_json;

/// Writes one key in YAML: its name, its value in JSON's notation (which YAML can read) and, as a
/// comment, where the value came from.
class YamlWriter {
 public:
  explicit YamlWriter(const Config& config) : config_(config) {}

  [[nodiscard]] std::string take() { return std::move(text_); }

  void write(const Key& key) {
    const std::size_t dot = key.name.find('.');
    const std::string group = dot == std::string::npos ? std::string() : key.name.substr(0, dot);
    const std::string name = dot == std::string::npos ? key.name : key.name.substr(dot + 1);
    if (group != group_ && !group.empty()) {
      text_ += fmt::format("{}:\n", group);
    }
    group_ = group;
    const std::string indent(group.empty() ? 0 : 2, ' ');
    const Json value = key.write(config_.settings());
    if (value.is_null()) {
      text_ += fmt::format("{}# {}: unset\n", indent, name);
    } else if (value.is_structured() && !value.empty()) {
      text_ += fmt::format("{}{}:\n", indent, name);
      write_members(indent + "  ", key.name, value);
    } else {
      text_ += fmt::format("{}{}: {}{}\n", indent, name, value.dump(), comment(key.name));
    }
  }

 private:
  void write_members(const std::string& indent, const std::string& key, const Json& value) {
    for (const auto& [name, member] : value.items()) {
      if (value.is_array()) {
        text_ += fmt::format("{}- {}{}\n", indent, member.dump(), comment(key));
      } else {
        text_ += fmt::format("{}{}: {}{}\n", indent, name, member.dump(),
                             comment(fmt::format("{}[{}]", key, name)));
      }
    }
  }

  [[nodiscard]] std::string comment(std::string_view key) const {
    return fmt::format("  # {}", base::one_line(to_string(config_.origin(key))));
  }

  const Config& config_;
  std::string text_;
  std::string group_;
};

}  // namespace

std::string effective_yaml(const Config& config) {
  YamlWriter writer(config);
  for (const Key& key : all_keys()) {
    writer.write(key);
  }
  return writer.take();
}

std::string effective_json(const Config& config) {
  Json settings = Json::object();
  Json origins = Json::object();
  for (const Key& key : all_keys()) {
    const std::size_t dot = key.name.find('.');
    Json& place = dot == std::string::npos
                      ? settings[key.name]
                      : settings[key.name.substr(0, dot)][key.name.substr(dot + 1)];
    place = key.write(config.settings());
    origins[key.name] = to_string(config.origin(key.name));
  }
  for (const auto& [key, origin] : config.origins()) {
    origins[key] = to_string(origin);
  }
  Json warnings = Json::array();
  for (const Warning& warning : config.warnings()) {
    warnings.push_back({{"key", warning.key}, {"text", warning.text}});
  }
  Json ignored = Json::array();
  for (const Ignored& field : config.ignored()) {
    ignored.push_back({{"key", field.key}, {"origin", to_string(field.origin)}});
  }
  const Json whole = {{"settings", std::move(settings)},
                      {"origins", std::move(origins)},
                      {"warnings", std::move(warnings)},
                      {"ignored", std::move(ignored)}};
  return whole.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace evictd::config
