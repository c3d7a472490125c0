// SPDX-License-Identifier: Apache-2.0
// What plain scalars are to the readers that must agree with evictd. They differ: YAML 1.2's core
// schema, YAML 1.1, Go's numbers and Go's flags.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string_view>

#include "document/node.h"

namespace evictd::document {

/// A YAML 1.1 boolean ("yes", "off", "True"); the kubelet reads its files by these rules.
[[nodiscard]] std::optional<bool> yaml_truth(std::string_view text);

/// A flag's boolean: 1, t, T, true, TRUE, True and their opposites. Source: Go's strconv.ParseBool.
[[nodiscard]] std::optional<bool> flag_truth(std::string_view text);

/// A whole number with an optional sign and base: "12", "0x1f", "0b1", "0o17", "017", "1_000". A
/// '_' stands between two digits, or between a prefix and a digit. Returns nullopt for other text
/// and for a number that does not fit. Source: Go's strconv.ParseInt with base 0.
[[nodiscard]] std::optional<std::int64_t> whole_number(std::string_view text);

/// A number with or without a point and an exponent: "5.0", "1e2", ".5", "+7". Returns nullopt for
/// other text and for a number that does not fit. Source: the pattern of floats in the kubelet's
/// YAML reader.
[[nodiscard]] std::optional<double> yaml_float(std::string_view text);

/// A yaml_float() that fits and has no fraction. The kubelet converts YAML to JSON through a double
/// and writes that without point and exponent.
[[nodiscard]] std::optional<std::int64_t> whole_yaml_float(std::string_view text);

/// Whether YAML cannot read this scalar as a number or a boolean: it has quotes, or plain letters.
[[nodiscard]] bool is_text(const Node& node);

/// A whole number with a leading zero. Text with a unit or a point is not one: Kubernetes reads it
/// as decimal.
[[nodiscard]] bool is_octal_to_yaml_1_1(std::string_view plain);

/// Makes `scalar` what its tag says. `tag` is yaml-cpp's: "?" for a plain scalar, "!" for a quoted
/// one. False for a tag outside YAML's core schema, or one that the text does not match.
[[nodiscard]] bool obey_tag(std::string_view tag, Node& scalar);

/// A scalar or null as JSON. A plain scalar is a boolean or a number only in a spelling of the core
/// schema that YAML 1.1 reads the same way; "010", ".inf" and "yes" are texts.
[[nodiscard]] nlohmann::json json_scalar(const Node& scalar);

}  // namespace evictd::document
