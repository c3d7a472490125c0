// SPDX-License-Identifier: Apache-2.0
#include "config/value.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <system_error>
#include <utility>

#include "core/go_duration.h"
#include "document/scalar.h"
#include "evictd/try.h"
#include "eviction/quantity.h"

namespace evictd::config {
namespace {

bool is_scalar(const Value& value) {
  return value.node.kind == YamlNode::Kind::kScalar;
}

constexpr std::string_view kLeadingZero = "a leading zero, which makes it octal in YAML 1.1";

std::string allowed_durations(Range<Duration> range) {
  return fmt::format("a duration from {} to {}, such as \"10s\" or \"1m30s\"",
                     format_duration(range.min), format_duration(range.max));
}

std::string allowed_bytes(Range<Bytes> range) {
  return fmt::format("a quantity from {} to {}, such as \"64Mi\"", format_bytes(range.min),
                     format_bytes(range.max));
}

/// The reason that `Value::refuse` gives for a value of the wrong kind.
std::string_view kind_reason(const YamlNode& node, std::string_view wanted) {
  return node.kind == YamlNode::Kind::kNull ? std::string_view("no value") : wanted;
}

bool has_dot_part(std::string_view path) {
  const std::string framed = fmt::format("{}/", path);
  return framed.find("/./") != std::string::npos || framed.find("/../") != std::string::npos ||
         framed.find("//") != std::string::npos;
}

}  // namespace

Result<bool> read_bool(const Value& value) {
  if (is_scalar(value) && value.node.plain) {
    if (value.node.text == "true") {
      return true;
    }
    if (value.node.text == "false") {
      return false;
    }
  }
  return value.refuse(kind_reason(value.node,
                                  "expected a "
                                  "boolean"),
                      "true or false, without quotes");
}

Result<std::int64_t> read_integer(const Value& value, Range<std::int64_t> range) {
  const std::string allowed = fmt::format("a whole number from {} to {}", range.min, range.max);
  const std::string& text = value.node.text;
  if (!is_scalar(value) || !value.node.plain) {
    return value.refuse(kind_reason(value.node, "not a whole number"), allowed);
  }
  if (document::is_octal_to_yaml_1_1(text)) {
    return value.refuse(kLeadingZero, allowed);
  }
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (end != text.data() + text.size() || error == std::errc::invalid_argument) {
    return value.refuse("not a whole number", allowed);
  }
  if (error == std::errc::result_out_of_range || number < range.min || number > range.max) {
    return value.refuse("out of range", allowed);
  }
  return number;
}

Result<Duration> read_duration(const Value& value, Range<Duration> range) {
  if (!is_scalar(value)) {
    return value.refuse(kind_reason(value.node, "no duration"), allowed_durations(range));
  }
  const Result<Duration> duration = core::parse_go_duration(value.node.text);
  if (!duration) {
    return value.refuse(duration.error().message(), allowed_durations(range));
  }
  if (*duration < range.min || *duration > range.max) {
    return value.refuse("out of range", allowed_durations(range));
  }
  return *duration;
}

Result<Bytes> read_bytes(const Value& value, Range<Bytes> range) {
  if (!is_scalar(value)) {
    return value.refuse(kind_reason(value.node, "no quantity"), allowed_bytes(range));
  }
  if (value.node.plain && document::is_octal_to_yaml_1_1(value.node.text)) {
    return value.refuse(kLeadingZero, allowed_bytes(range));
  }
  const Result<eviction::Quantity> quantity = eviction::Quantity::parse(value.node.text);
  if (!quantity) {
    return value.refuse(quantity.error().message(), allowed_bytes(range));
  }
  const Bytes bytes{quantity->value()};
  if (*quantity != eviction::Quantity(bytes.value, eviction::QuantityFormat::kBinarySI)) {
    return value.refuse("not a whole number of bytes", allowed_bytes(range));
  }
  if (bytes < range.min || bytes > range.max) {
    return value.refuse("out of range", allowed_bytes(range));
  }
  return bytes;
}

Result<std::string> read_text(const Value& value) {
  if (!is_scalar(value)) {
    return value.refuse(kind_reason(value.node, "no text"), "text");
  }
  if (!is_text(value.node)) {
    return value.refuse("no text", "text; put it in quotes");
  }
  if (value.node.text.empty()) {
    return value.refuse("empty", "text of at least one character");
  }
  return value.node.text;
}

Result<std::string> read_path(const Value& value) {
  EVICTD_ASSIGN_OR_RETURN(std::string path, read_text(value));
  if (path.size() > 1 && path.ends_with('/')) {
    path.pop_back();
  }
  if (!path.starts_with('/') || (path.size() > 1 && has_dot_part(path))) {
    return value.refuse(path.starts_with('/') ? "not a plain path" : "not an absolute path",
                        "an absolute path without \".\", \"..\" and empty parts");
  }
  return path;
}

Result<std::vector<std::string>> read_path_list(const Value& value) {
  EVICTD_TRY(expect_list(value, "a list of absolute paths"));
  std::vector<std::string> paths;
  for (std::size_t i = 0; i < value.node.items.size(); ++i) {
    const Value item = item_of(value, i);
    EVICTD_ASSIGN_OR_RETURN(std::string path, read_path(item));
    if (std::find(paths.begin(), paths.end(), path) != paths.end()) {
      return item.refuse("given twice", "each directory once");
    }
    paths.push_back(std::move(path));
  }
  return paths;
}

Value entry_of(const Value& value, const YamlEntry& entry) {
  return Value{.node = entry.value,
               .filename = value.filename,
               .key = fmt::format("{}[{}]", value.key, entry.key)};
}

Value item_of(const Value& value, std::size_t index) {
  return Value{.node = value.node.items[index],
               .filename = value.filename,
               .key = fmt::format("{}[{}]", value.key, index)};
}

Result<> expect_map(const Value& value, std::string_view allowed) {
  if (value.node.kind != YamlNode::Kind::kMap) {
    return value.refuse(kind_reason(value.node, "no mapping"), allowed);
  }
  return {};
}

Result<> expect_list(const Value& value, std::string_view allowed) {
  if (value.node.kind != YamlNode::Kind::kSequence) {
    return value.refuse(kind_reason(value.node, "no list"), allowed);
  }
  return {};
}

}  // namespace evictd::config
