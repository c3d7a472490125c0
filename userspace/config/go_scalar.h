// SPDX-License-Identifier: Apache-2.0
// Scalars as the kubelet's own readers take them, which are laxer than evictd's.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace evictd::config {

/// A truth value of YAML 1.1 ("yes", "off", "True"), which is what the kubelet's files are read by.
[[nodiscard]] std::optional<bool> yaml_truth(std::string_view text);

/// A truth value as a flag has it: 1, t, T, true, TRUE, True and their opposites.
/// Source: Go's strconv.ParseBool.
[[nodiscard]] std::optional<bool> flag_truth(std::string_view text);

/// A whole number with an optional sign and base: "12", "0x1f", "0b1", "0o17", "017", "1_000".
/// A '_' stands between two digits, or between a prefix and a digit. Nothing if it is none or does
/// not fit. Source: Go's strconv.ParseInt with base 0.
[[nodiscard]] std::optional<std::int64_t> whole_number(std::string_view text);

/// A number with or without a point and an exponent: "5.0", "1e2", ".5", "+7". Nothing if it is
/// none or does not fit. Source: the pattern of floats in the YAML reader of the kubelet.
[[nodiscard]] std::optional<double> yaml_float(std::string_view text);

/// A yaml_float() without a fraction that fits. The kubelet turns YAML into JSON by way of a
/// double, which it writes without point and exponent.
[[nodiscard]] std::optional<std::int64_t> whole_yaml_float(std::string_view text);

}  // namespace evictd::config
