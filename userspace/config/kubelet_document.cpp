// SPDX-License-Identifier: Apache-2.0
#include "config/kubelet_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "config/kubelet_schema.h"
#include "config/value.h"
#include "core/go_duration.h"
#include "core/leading_zero.h"
#include "core/nearest_name.h"
#include "core/rfc3339.h"
#include "document/scalar.h"
#include "evictd/try.h"
#include "eviction/quantity.h"

namespace evictd::config {
namespace {

constexpr std::string_view kAllowedDuration =
    R"(a duration in quotes or with a unit, such as 1m30s)";

/// The notation of a document; it determines how a whole number may be written.
enum class Notation { kYaml, kJson };

Result<> check_fields(const Value& map, std::span<const KubeletField> fields, Notation notation);

/// Distinguishes them as the kubelet does: text that begins with '{' is JSON, and is not tried as
/// YAML if it is not valid JSON (apimachinery's recognizer, and RecognizesData of its JSON
/// serializer).
Notation notation_of(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] == '{' ? Notation::kJson : Notation::kYaml;
}

bool is_kubelet_text(const YamlNode& node) {
  return is_text(node) && !(node.plain && document::yaml_truth(node.text));
}

Result<> check_text(const Value& value) {
  if (!is_kubelet_text(value.node)) {
    return value.refuse("no text", "text; put it in quotes");
  }
  return {};
}

Result<> check_bool(const Value& value) {
  const YamlNode& node = value.node;
  if (node.kind != YamlNode::Kind::kScalar || !node.plain || !document::yaml_truth(node.text)) {
    return value.refuse("expected a boolean", "true or false, without quotes");
  }
  return {};
}

/// Why a number that whole_number() does not accept is refused.
std::string_view float_reason(const std::string& text, Notation notation) {
  if (text.find_first_of(".eE") == std::string::npos) {
    return "not a whole number in range";
  }
  const std::optional<double> number = document::yaml_float(text);
  if (number && std::trunc(*number) != *number) {
    return "not a whole number, it has a fraction";
  }
  return number && notation == Notation::kJson
             ? "a whole number with a point or an exponent, which the kubelet refuses in JSON"
             : "not a whole number in range";
}

Result<> check_integer(const Value& value, Range<std::int64_t> range, Notation notation) {
  const YamlNode& node = value.node;
  const std::string allowed = fmt::format("a whole number from {} to {}", range.min, range.max);
  const bool is_plain = node.kind == YamlNode::Kind::kScalar && node.plain;
  if (is_plain && notation == Notation::kJson && core::has_leading_zero(node.text)) {
    return value.refuse("a leading zero, which the kubelet refuses in JSON", allowed);
  }
  std::optional<std::int64_t> number = is_plain ? document::whole_number(node.text) : std::nullopt;
  if (is_plain && !number && notation == Notation::kYaml) {
    number = document::whole_yaml_float(node.text);
  }
  // "1_000" is a number only to the kubelet's reader.
  if (!is_plain || (!number && is_text(node))) {
    return value.refuse("not a whole number", allowed);
  }
  if (!number) {
    return value.refuse(float_reason(node.text, notation), allowed);
  }
  if (*number < range.min || *number > range.max) {
    return value.refuse("out of range", allowed);
  }
  return {};
}

template <typename Integer>
Result<> check_integer_type(const Value& value, Notation notation) {
  const Range<std::int64_t> range{static_cast<std::int64_t>(std::numeric_limits<Integer>::min()),
                                  static_cast<std::int64_t>(std::numeric_limits<Integer>::max())};
  return check_integer(value, range, notation);
}

Result<> check_number(const Value& value) {
  const std::string& text = value.node.text;
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (value.node.kind != YamlNode::Kind::kScalar || !value.node.plain || text.empty() ||
      end != text.data() + text.size() || error != std::errc() || !std::isfinite(number)) {
    return value.refuse("no number", "a number such as 0.9, without quotes");
  }
  return {};
}

Result<> check_duration(const Value& value) {
  if (!is_kubelet_text(value.node)) {
    return value.refuse("no duration", kAllowedDuration);
  }
  if (const Result<Duration> duration = core::parse_go_duration(value.node.text); !duration) {
    return value.refuse(duration.error().message(), kAllowedDuration);
  }
  return {};
}

Result<> check_time(const Value& value) {
  constexpr std::string_view kAllowed = R"(a time such as "2026-01-31T12:00:00Z" (RFC 3339))";
  if (!is_kubelet_text(value.node)) {
    return value.refuse("no time", kAllowed);
  }
  const Result<WallTime> time = core::wall_time_from_rfc3339(value.node.text);
  // A time that is valid but outside the range of our clock counts as a time.
  if (!time && time.error().code == Errc::kMalformed) {
    return value.refuse("no time", kAllowed);
  }
  return {};
}

Result<> check_quantity(const Value& value) {
  constexpr std::string_view kAllowed = R"(a quantity such as "64Mi")";
  if (value.node.kind != YamlNode::Kind::kScalar) {
    return value.refuse("no quantity", kAllowed);
  }
  if (const auto quantity = eviction::Quantity::parse(value.node.text); !quantity) {
    return value.refuse(quantity.error().message(), kAllowed);
  }
  return {};
}

template <typename Check>
Result<> check_list(const Value& value, std::string_view allowed, Check check) {
  EVICTD_TRY(expect_list(value, allowed));
  for (std::size_t i = 0; i < value.node.items.size(); ++i) {
    EVICTD_TRY(check(item_of(value, i)));
  }
  return {};
}

template <typename Check>
Result<> check_map(const Value& value, std::string_view allowed, Check check) {
  EVICTD_TRY(expect_map(value, allowed));
  for (const YamlEntry& entry : value.node.entries) {
    // A null entry takes the value back in a drop-in file; elsewhere the field's reader refuses it.
    if (entry.value.kind == YamlNode::Kind::kNull) {
      continue;
    }
    EVICTD_TRY(check(entry_of(value, entry)));
  }
  return {};
}

Result<> check_texts(const Value& value) {
  return check_list(value, "a list of texts", check_text);
}

Result<> check_members(const Value& value, std::span<const KubeletField> members,
                       Notation notation) {
  Result<> map = expect_map(value, "a mapping");
  return map ? check_fields(value, members, notation) : map;
}

Result<> check_value(const Value& value, const KubeletField& field, Notation notation) {
  switch (field.type) {
    case KubeletType::kBool:
      return check_bool(value);
    case KubeletType::kInt32:
      return check_integer_type<std::int32_t>(value, notation);
    case KubeletType::kInt64:
      return check_integer_type<std::int64_t>(value, notation);
    case KubeletType::kUint32:
      return check_integer_type<std::uint32_t>(value, notation);
    case KubeletType::kNumber:
      return check_number(value);
    case KubeletType::kText:
      return check_text(value);
    case KubeletType::kTime:
      return check_time(value);
    case KubeletType::kDuration:
      return check_duration(value);
    case KubeletType::kDurationOrInteger:
      return is_kubelet_text(value.node) ? check_duration(value)
                                         : check_integer_type<std::int64_t>(value, notation);
    case KubeletType::kQuantity:
      return check_quantity(value);
    case KubeletType::kTexts:
      return check_texts(value);
    case KubeletType::kIntegers:
      return check_list(value, "a list of whole numbers", [&](const Value& item) {
        return check_integer_type<std::int32_t>(item, notation);
      });
    case KubeletType::kTextMap:
      return check_map(value, "a mapping of names to texts", check_text);
    case KubeletType::kBoolMap:
      return check_map(value, "a mapping of names to true or false", check_bool);
    case KubeletType::kQuantityMap:
      return check_map(value, "a mapping of names to quantities", check_quantity);
    case KubeletType::kTextsMap:
      return check_map(value, "a mapping of names to lists of texts", check_texts);
    case KubeletType::kObject:
      return check_members(value, field.members, notation);
    case KubeletType::kObjectList:
      return check_list(value, "a list of mappings", [&](const Value& item) {
        return check_members(item, field.members, notation);
      });
  }
  return {};
}

Failure refuse_unknown(const Value& member, std::string_view name,
                       std::span<const KubeletField> fields) {
  std::vector<std::string> names;
  for (const KubeletField& field : fields) {
    names.emplace_back(field.name);
  }
  const bool at_top = fields.data() == kubelet_fields().data();
  return member.refuse(
      fmt::format("unknown field, the nearest is {}", core::nearest_name(name, names)),
      at_top ? fmt::format("the fields of a {} of {}", kKubeletKind, kKubeletApiVersion)
             : fmt::format("{}", fmt::join(names, ", ")));
}

Result<> check_fields(const Value& map, std::span<const KubeletField> fields, Notation notation) {
  for (const YamlEntry& entry : map.node.entries) {
    const std::string name = entry.key.empty() ? R"("")" : entry.key;
    const Value member{.node = entry.value,
                       .filename = map.filename,
                       .key = map.key.empty() ? name : map.key + "." + name};
    const auto field = std::find_if(fields.begin(), fields.end(),
                                    [&](const KubeletField& f) { return f.name == entry.key; });
    if (field == fields.end()) {
      return refuse_unknown(member, entry.key, fields);
    }
    if (entry.value.kind == YamlNode::Kind::kNull) {
      continue;
    }
    EVICTD_TRY(check_value(member, *field, notation));
  }
  return {};
}

/// Checks that the field `name` exists and has the value `wanted`.
Result<> expect_text(const Value& root, std::string_view name, std::string_view wanted) {
  const YamlEntry* const entry = entry_in(root.node, name);
  if (entry == nullptr) {
    return refuse({.filename = root.filename,
                   .line = root.node.line,
                   .key = name,
                   .shown = "",
                   .reason = "is not there",
                   .allowed = wanted});
  }
  if (entry->value.kind != YamlNode::Kind::kScalar || entry->value.text != wanted) {
    const Value value{.node = entry->value, .filename = root.filename, .key = std::string(name)};
    return value.refuse(fmt::format("no {}", kKubeletKind), wanted);
  }
  return {};
}

}  // namespace

Result<YamlNode> read_kubelet_document(std::string_view text, std::string_view filename) {
  Result<YamlNode> root = parse_yaml(text, filename);
  if (!root) {
    return root;
  }
  const Value whole{.node = *root, .filename = filename, .key = ""};
  const std::string allowed = fmt::format("a {} of {}", kKubeletKind, kKubeletApiVersion);
  const Notation notation = notation_of(text);
  const Result<> sound =
      expect_map(whole, allowed)
          .and_then([&] { return expect_text(whole, "kind", kKubeletKind); })
          .and_then([&] { return expect_text(whole, "apiVersion", kKubeletApiVersion); })
          .and_then([&] { return check_fields(whole, kubelet_fields(), notation); })
          // After the fields, because their errors name a key.
          .and_then([&] {
            return notation == Notation::kJson ? check_json(text, filename) : Result<>();
          });
  return sound ? root : Result<YamlNode>(tl::unexpected(sound.error()));
}

}  // namespace evictd::config
