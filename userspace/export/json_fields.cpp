// SPDX-License-Identifier: Apache-2.0
#include "export/json_fields.h"

#include <fmt/format.h>

#include "core/rfc3339.h"

namespace evictd::exporting {

namespace {

using Json = nlohmann::ordered_json;

const Json& empty_list() {
  static const Json kEmpty = Json::array();
  return kEmpty;
}

const Json& empty_object() {
  static const Json kEmpty = Json::object();
  return kEmpty;
}

bool fits(const Json& value, std::int64_t least, std::int64_t most) {
  if (!value.is_number_integer()) {
    return false;
  }
  if (value.is_number_unsigned()) {
    const auto number = value.get<std::uint64_t>();
    return most >= 0 && number <= static_cast<std::uint64_t>(most) &&
           (least <= 0 || number >= static_cast<std::uint64_t>(least));
  }
  const auto number = value.get<std::int64_t>();
  return number >= least && number <= most;
}

}  // namespace

JsonFields::JsonFields(const Json& object, std::string place, std::optional<Error>& failure)
    : object_(&object), place_(std::move(place)), failure_(&failure) {
  if (!object.is_object() && !failed()) {
    failure = Error{.code = Errc::kMalformed,
                    .sys_errno = 0,
                    .context = (place_.empty() ? "" : place_ + ": ") + "not a JSON object"};
  }
}

void JsonFields::refuse(const char* key, std::string_view what) {
  if (!failed()) {
    *failure_ =
        Error{.code = Errc::kMalformed,
              .sys_errno = 0,
              .context = fmt::format("{}{}{}: {}", place_, place_.empty() ? "" : ".", key, what)};
  }
}

void JsonFields::refuse(const char* key, std::string_view what, const Json& value) {
  constexpr std::size_t kMost = 40;
  constexpr bool kAscii = true;
  if (failed()) {
    return;
  }
  std::string text = value.is_structured()
                         ? std::string(value.type_name())
                         : value.dump(-1, ' ', kAscii, Json::error_handler_t::replace);
  if (text.size() > kMost) {
    text = text.substr(0, kMost) + "...";
  }
  refuse(key, fmt::format("{}: {}", what, text));
}

const Json* JsonFields::find(const char* key) {
  if (failed()) {
    return nullptr;
  }
  const auto found = object_->find(key);
  if (found == object_->end()) {
    refuse(key, "missing");
    return nullptr;
  }
  return &*found;
}

bool JsonFields::has(const char* key) const {
  if (!object_->is_object()) {
    return false;
  }
  const auto found = object_->find(key);
  return found != object_->end() && !found->is_null();
}

std::int64_t JsonFields::whole(const char* key, std::int64_t least, std::int64_t most) {
  const Json* value = find(key);
  return value == nullptr ? 0 : whole_of(*value, key, least, most);
}

std::int64_t JsonFields::whole_of(const Json& value, const char* key, std::int64_t least,
                                  std::int64_t most) {
  if (!value.is_number_integer()) {
    refuse(key, "not a whole number", value);
    return 0;
  }
  if (!fits(value, least, most)) {
    refuse(key, fmt::format("not from {} to {}", least, most), value);
    return 0;
  }
  return value.get<std::int64_t>();
}

std::optional<std::int64_t> JsonFields::whole_or_null(const char* key) {
  const Json* value = find(key);
  if (value == nullptr || value->is_null()) {
    return std::nullopt;
  }
  return whole(key);
}

MonoTime JsonFields::moment(const char* key) {
  return MonoTime(Duration(whole(key, 0, kLastMoment)));
}

std::optional<MonoTime> JsonFields::moment_or_null(const char* key) {
  const Json* value = find(key);
  if (value == nullptr || value->is_null()) {
    return std::nullopt;
  }
  return moment(key);
}

std::vector<MonoTime> JsonFields::moments(const char* key) {
  std::vector<MonoTime> moments;
  const Json& values = list(key);
  for (std::size_t i = 0; i < values.size() && !failed(); ++i) {
    const std::string name = fmt::format("{}[{}]", key, i);
    moments.emplace_back(Duration(whole_of(values[i], name.c_str(), 0, kLastMoment)));
  }
  return moments;
}

bool JsonFields::truth(const char* key) {
  const Json* value = find(key);
  if (value == nullptr) {
    return false;
  }
  if (!value->is_boolean()) {
    refuse(key, "not a boolean", *value);
    return false;
  }
  return value->get<bool>();
}

std::string JsonFields::text(const char* key) {
  const Json* value = find(key);
  if (value == nullptr) {
    return {};
  }
  if (!value->is_string()) {
    refuse(key, "not a text", *value);
    return {};
  }
  return value->get<std::string>();
}

std::vector<std::string> JsonFields::texts(const char* key) {
  std::vector<std::string> texts;
  for (const Json& value : list(key)) {
    if (!value.is_string()) {
      refuse(key, "not a list of strings");
      return {};
    }
    texts.push_back(value.get<std::string>());
  }
  return texts;
}

std::map<std::string, std::string> JsonFields::text_map(const char* key) {
  std::map<std::string, std::string> map;
  for (const auto& [name, value] : object(key).items()) {
    if (!value.is_string()) {
      refuse(key, "not a list of strings");
      return {};
    }
    map.emplace(name, value.get<std::string>());
  }
  return map;
}

WallTime JsonFields::wall_time(const char* key) {
  const Result<WallTime> time = core::wall_time_from_rfc3339(text(key));
  if (!time) {
    refuse(key, time.error().context);
    return {};
  }
  return *time;
}

const Json& JsonFields::list(const char* key) {
  const Json* value = find(key);
  if (value == nullptr) {
    return empty_list();
  }
  if (!value->is_array()) {
    refuse(key, "not a list", *value);
    return empty_list();
  }
  return *value;
}

const Json& JsonFields::member(const char* key) {
  static const Json kNull = nullptr;
  const Json* value = find(key);
  return value == nullptr ? kNull : *value;
}

const Json& JsonFields::object(const char* key) {
  const Json* value = find(key);
  if (value == nullptr) {
    return empty_object();
  }
  if (!value->is_object()) {
    refuse(key, "not a JSON object", *value);
    return empty_object();
  }
  return *value;
}

JsonFields JsonFields::at(const char* key, std::size_t index) {
  const std::string place =
      fmt::format("{}{}{}[{}]", place_, place_.empty() ? "" : ".", key, index);
  const Json& values = list(key);
  return {index < values.size() ? values[index] : empty_object(), place, *failure_};
}

JsonFields JsonFields::below(const char* key) {
  return {object(key), place_.empty() ? key : place_ + "." + key, *failure_};
}

}  // namespace evictd::exporting
