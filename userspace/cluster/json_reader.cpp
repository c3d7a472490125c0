// SPDX-License-Identifier: Apache-2.0
#include "cluster/json_reader.h"

#include <limits>

#include "core/control_character.h"

namespace evictd::cluster {
namespace {

const nlohmann::json& absent() {
  static const nlohmann::json kNull;
  return kNull;
}

std::string child_path(const std::string& parent, std::string_view key) {
  return parent.empty() ? std::string(key) : parent + "." + std::string(key);
}

/// Shortens ASCII `text` to a maximum size.
std::string shortened(std::string text) {
  constexpr std::size_t kMost = 64;
  if (text.size() > kMost) {
    text.resize(kMost);
    text += "...";
  }
  return text;
}

/// The value for an error of one line: anything but plain text is escaped.
std::string shown(const nlohmann::json& value) {
  if (value.is_object()) {
    return "a mapping";
  }
  if (value.is_array()) {
    return "a list";
  }
  constexpr bool kAscii = true;
  return shortened(value.dump(-1, ' ', kAscii, nlohmann::json::error_handler_t::replace));
}

}  // namespace

JsonReader JsonReader::at(std::string_view key) const {
  std::string path = child_path(path_, key);
  if (!present()) {
    return {absent(), problem_, std::move(path)};
  }
  if (!value_->is_object()) {
    reject("must be an object");
    return {absent(), problem_, std::move(path)};
  }
  const auto found = value_->find(key);
  return {found == value_->end() ? absent() : *found, problem_, std::move(path)};
}

std::vector<std::pair<std::string, JsonReader>> JsonReader::members() const {
  std::vector<std::pair<std::string, JsonReader>> result;
  if (!present()) {
    return result;
  }
  if (!value_->is_object()) {
    reject("must be an object");
    return result;
  }
  for (const auto& [key, member] : value_->items()) {
    result.emplace_back(key, JsonReader(member, problem_, child_path(path_, key)));
  }
  return result;
}

std::vector<JsonReader> JsonReader::elements() const {
  std::vector<JsonReader> result;
  if (!present()) {
    return result;
  }
  if (!value_->is_array()) {
    reject("must be a list");
    return result;
  }
  for (const nlohmann::json& element : *value_) {
    std::string path = path_ + "[" + std::to_string(result.size()) + "]";
    result.push_back(JsonReader(element, problem_, std::move(path)));
  }
  return result;
}

std::string JsonReader::text() const {
  if (!present()) {
    return {};
  }
  if (!value_->is_string()) {
    reject("must be a text");
    return {};
  }
  return value_->get<std::string>();
}

std::string JsonReader::name() const {
  std::string read = text();
  if (core::has_control_character(read)) {
    reject("has a control character; allowed: a name as Kubernetes has them, such as web-0");
    return {};
  }
  return read;
}

bool JsonReader::flag() const {
  if (!present()) {
    return false;
  }
  if (!value_->is_boolean()) {
    reject("must be true or false");
    return false;
  }
  return value_->get<bool>();
}

std::optional<std::int64_t> JsonReader::integer(std::int64_t lowest, std::int64_t highest) const {
  if (!present()) {
    return std::nullopt;
  }
  const bool too_big =
      value_->is_number_unsigned() && value_->get<std::uint64_t>() > std::uint64_t{INT64_MAX};
  if (value_->is_number_integer() && !too_big) {
    const auto number = value_->get<std::int64_t>();
    if (number >= lowest && number <= highest) {
      return number;
    }
  }
  reject("must be a whole number from " + std::to_string(lowest) + " to " +
         std::to_string(highest));
  return std::nullopt;
}

void JsonReader::reject(std::string_view why) const {
  if (!problem_->has_value()) {
    *problem_ = (path_.empty() ? std::string("document") : path_) + ": " + shown(*value_) + ": " +
                std::string(why);
  }
}

}  // namespace evictd::cluster
