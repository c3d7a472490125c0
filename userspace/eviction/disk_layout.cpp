// SPDX-License-Identifier: Apache-2.0
#include "eviction/disk_layout.h"

#include <array>
#include <optional>

namespace evictd::eviction {
namespace {

/// The last threshold of a signal and kind, as its place in the list.
std::optional<std::size_t> find_last(const std::vector<Threshold>& thresholds, Signal signal,
                                     bool hard) {
  for (std::size_t i = thresholds.size(); i > 0; --i) {
    if (thresholds[i - 1].signal == signal && thresholds[i - 1].is_hard() == hard) {
      return i - 1;
    }
  }
  return std::nullopt;
}

struct Derivation {
  Signal target;
  Signal from_node_fs;
  Signal from_image_fs;
  bool hard;
};

/// In the order in which the entries are added.
constexpr std::array<Derivation, 4> kDerivations{{
    {Signal::kContainerFsAvailable, Signal::kNodeFsAvailable, Signal::kImageFsAvailable, true},
    {Signal::kContainerFsAvailable, Signal::kNodeFsAvailable, Signal::kImageFsAvailable, false},
    {Signal::kContainerFsInodesFree, Signal::kNodeFsInodesFree, Signal::kImageFsInodesFree, true},
    {Signal::kContainerFsInodesFree, Signal::kNodeFsInodesFree, Signal::kImageFsInodesFree, false},
}};

Threshold derived(const Derivation& derivation, const std::optional<Threshold>& source) {
  Threshold threshold;
  threshold.op = ThresholdOperator::kNone;
  if (source) {
    threshold = *source;
    threshold.derived_from = source->signal;
  }
  threshold.signal = derivation.target;
  return threshold;
}

}  // namespace

DerivedThresholds derive_containerfs_thresholds(std::vector<Threshold> thresholds,
                                                DiskLayout layout) {
  DerivedThresholds result;
  const bool derives = layout.dedicated_image_fs || !layout.split_container_fs;
  const bool with_images = layout.dedicated_image_fs && !layout.split_container_fs;
  const std::vector<Threshold> given = thresholds;
  std::optional<std::size_t> last_found;
  for (const Derivation& derivation : kDerivations) {
    const std::optional<std::size_t> source_place = find_last(
        given, with_images ? derivation.from_image_fs : derivation.from_node_fs, derivation.hard);
    const std::optional<Threshold> source =
        source_place ? std::optional(given[*source_place]) : std::nullopt;
    const Threshold threshold = derived(derivation, source);
    const std::optional<std::size_t> place = find_last(given, derivation.target, derivation.hard);
    if (derives && place) {
      thresholds[*place] = threshold;
    } else if (derives) {
      thresholds.push_back(threshold);
    }
    if (!place) {
      continue;
    }
    if (!last_found || *place > *last_found) {
      last_found = place;
      result.warning = "found " + std::string(to_string(derivation.target)) + " for " +
                       (derivation.hard ? "hard" : "soft") + " eviction. ignoring";
    }
  }
  result.thresholds = std::move(thresholds);
  return result;
}

}  // namespace evictd::eviction
