// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <concepts>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "config/keys.h"
#include "evictd/try.h"

namespace evictd::config {

/// Reads and writes one member of Settings, const or not.
template <typename T>
auto field(T Settings::*member) {
  return [member](auto& settings) -> auto& {
    return settings.*member;
  };
}

/// Reads and writes a member of a part of Settings.
template <typename Part, typename T>
auto field(Part Settings::*part, T Part::*member) {
  return [ part, member ](auto& settings) -> auto& {
    return settings.*part.*member;
  };
}

/// Builds a Key from its setting, a reader and a writer.
template <typename Field, typename Read, typename Write>
Key make_key(const std::string& name, Effect effect, Field reach, Read read, Write write) {
  return Key{.name = name,
             .effect = effect,
             .read = [reach, read](const Value& value, Settings& settings) -> Result<> {
               EVICTD_ASSIGN_OR_RETURN(auto result, read(value));
               reach(settings) = std::move(result);
               return {};
             },
             .write =
                 [reach, write](const Settings& settings) {
                   return nlohmann::ordered_json(write(reach(settings)));
                 },
             .copy = [reach](const Settings& from, Settings& to) { reach(to) = reach(from); },
             .entries = nullptr};
}

template <typename Field>
Key bool_key(const std::string& name, Effect effect, Field reach) {
  return make_key(name, effect, reach, read_bool, [](bool on) { return on; });
}

/// A whole number, stored in the integer type of the setting.
template <typename Field>
Key integer_key(const std::string& name, Effect effect, Field reach, Range<std::int64_t> range) {
  using Integer = std::remove_reference_t<decltype(reach(std::declval<Settings&>()))>;
  return make_key(
      name, effect, reach,
      [range](const Value& value) {
        return read_integer(value, range).map([](std::int64_t n) {
          return static_cast<Integer>(n);
        });
      },
      [](Integer number) { return number; });
}

template <typename Field>
Key duration_key(const std::string& name, Effect effect, Field reach, Range<Duration> range) {
  return make_key(
      name, effect, reach, [range](const Value& value) { return read_duration(value, range); },
      format_duration);
}

template <typename Field>
Key bytes_key(const std::string& name, Effect effect, Field reach, Range<Bytes> range) {
  return make_key(
      name, effect, reach, [range](const Value& value) { return read_bytes(value, range); },
      format_bytes);
}

/// Text that may be unset; unset is the empty string.
template <typename Field, typename Read>
Key text_key(const std::string& name, Effect effect, Field reach, Read read) {
  return make_key(name, effect, reach, read, [](const std::string& text) {
    return text.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(text);
  });
}

/// The names of an enumeration, in the order in which an error lists them.
template <typename Enum, std::size_t N>
using Choices = std::array<std::pair<std::string_view, Enum>, N>;

template <typename Enum, std::size_t N>
Result<Enum> read_choice(const Value& value, const Choices<Enum, N>& choices) {
  std::string allowed;
  for (const auto& [text, choice] : choices) {
    if (value.node.kind == YamlNode::Kind::kScalar && value.node.text == text) {
      return choice;
    }
    allowed += (allowed.empty() ? "" : ", ") + std::string(text);
  }
  return value.refuse("unknown", allowed);
}

template <typename Enum, std::size_t N>
std::string name_of_choice(Enum chosen, const Choices<Enum, N>& choices) {
  for (const auto& [text, choice] : choices) {
    if (choice == chosen) {
      return std::string(text);
    }
  }
  return {};
}

template <typename Field, typename Enum, std::size_t N>
Key choice_key(const std::string& name, Effect effect, Field reach, Choices<Enum, N> choices) {
  return make_key(
      name, effect, reach, [choices](const Value& value) { return read_choice(value, choices); },
      [choices](Enum chosen) { return name_of_choice(chosen, choices); });
}

/// A choice that may be unset: then another setting decides.
template <typename Field, typename Enum, std::size_t N>
Key optional_choice_key(const std::string& name, Effect effect, Field reach,
                        Choices<Enum, N> choices) {
  return make_key(
      name, effect, reach, [choices](const Value& value) { return read_choice(value, choices); },
      [choices](const std::optional<Enum>& chosen) {
        return chosen ? nlohmann::ordered_json(name_of_choice(*chosen, choices))
                      : nlohmann::ordered_json();
      });
}

}  // namespace evictd::config
