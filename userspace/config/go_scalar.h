// SPDX-License-Identifier: Apache-2.0
// Scalars as the kubelet's own readers take them, which are laxer than evictd's.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace evictd::config {

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

}  // namespace evictd::config
