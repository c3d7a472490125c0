// SPDX-License-Identifier: Apache-2.0
// What fields a KubeletConfiguration of kubelet.config.k8s.io/v1beta1 has, and of what type.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace evictd::config {

enum class KubeletType : std::uint8_t {
  kBool,
  kInt32,
  kInt64,
  kUint32,
  kNumber,
  kText,
  kTime,               ///< Text in RFC 3339's notation.
  kDuration,           ///< Text in Go's syntax.
  kDurationOrInteger,  ///< Text in Go's syntax, or nanoseconds.
  kQuantity,           ///< Text or number in Kubernetes notation.
  kTexts,              ///< A list of texts.
  kIntegers,           ///< A list of 32-bit integers.
  kTextMap,
  kBoolMap,
  kQuantityMap,
  kTextsMap,    ///< A map of name to a list of texts.
  kObject,      ///< A map with `members`.
  kObjectList,  ///< A list of such maps.
};

/// One field. The schema has all fields of 1.26 and 1.32, and those that later versions added to
/// the same API version. evictd ignores the later ones unless stated otherwise.
struct KubeletField {
  std::string_view name;
  KubeletType type = KubeletType::kText;
  /// The fields of an object, or of each object of a list.
  std::span<const KubeletField> members;
};

/// The field that asks for the default hard thresholds that evictionHard leaves out. Neither 1.26
/// nor 1.32 has it.
inline constexpr std::string_view kMergeDefaults = "mergeDefaultEvictionSettings";

/// The top-level fields, apiVersion and kind included, in the order of the kubelet's type. Source:
/// k8s.io/kubelet/config/v1beta1, and component-base for logging and tracing.
[[nodiscard]] std::span<const KubeletField> kubelet_fields();

/// Whether evictd copies the top-level field `name` to the key of the same name.
[[nodiscard]] bool is_taken_over(std::string_view name);

}  // namespace evictd::config
