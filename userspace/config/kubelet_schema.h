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
  kDurationOrInteger,  ///< The same, or nanoseconds.
  kQuantity,           ///< Text or number in Kubernetes' notation.
  kTexts,              ///< A list of texts.
  kIntegers,           ///< A list of 32-bit integers.
  kTextMap,
  kBoolMap,
  kQuantityMap,
  kTextsMap,    ///< Name to a list of texts.
  kObject,      ///< A mapping with `members`.
  kObjectList,  ///< A list of those.
};

/// One field. Everything that can be set in 1.26 and 1.32 is there, and what later versions added
/// to the same API version: such a field means nothing to evictd unless said otherwise.
struct KubeletField {
  std::string_view name;
  KubeletType type = KubeletType::kText;
  /// Of an object, or of each object of a list.
  std::span<const KubeletField> members;
};

/// The field that asks for the defaults of hard thresholds which evictionHard leaves out.
/// Neither 1.26 nor 1.32 has it.
inline constexpr std::string_view kMergeDefaults = "mergeDefaultEvictionSettings";

/// The fields at the top, apiVersion and kind included, in the order of the kubelet's type.
/// Source: k8s.io/kubelet/config/v1beta1, and component-base for logging and tracing.
[[nodiscard]] std::span<const KubeletField> kubelet_fields();

/// Whether evictd takes the top-level field `name` over into the key of the same name.
[[nodiscard]] bool is_taken_over(std::string_view name);

}  // namespace evictd::config
