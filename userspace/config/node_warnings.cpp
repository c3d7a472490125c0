// SPDX-License-Identifier: Apache-2.0
#include "config/node_warnings.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>

#include "config/eviction_fields.h"
#include "config/value.h"
#include "config/written_files.h"
#include "eviction/quantity.h"

namespace evictd::config {
namespace {

using eviction::Signal;
using eviction::Threshold;
using eviction::ThresholdValue;

/// Formats an estimated time, in seconds, as durations are written. It has no more precision than
/// an estimate deserves: rounded down to milliseconds, and from a minute on to seconds.
std::string format_estimate(double seconds) {
  const std::chrono::duration<double> time(seconds);
  return time < std::chrono::minutes(1)
             ? format_duration(std::chrono::floor<std::chrono::milliseconds>(time))
             : format_duration(std::chrono::floor<std::chrono::seconds>(time));
}

class NodeJudge {
 public:
  NodeJudge(const Config& config, const NodeFacts& facts)
      : config_(config), facts_(facts), given_(given_thresholds(config)) {}

  void warn_of_capacity() {
    for (const Threshold& threshold : given_) {
      const auto bound = upper_bound_of(threshold.signal);
      if (bound && is_met_for_ever(threshold, *bound)) {
        add(key_of(threshold),
            fmt::format("{} is not below the capacity {}: it is always met, and evicts pod after "
                        "pod",
                        to_string(threshold.value), shown(threshold.signal, *bound)));
      }
    }
  }

  void warn_of_reservations() {
    if (!limits_pods()) {
      return;
    }
    const std::int64_t held_back = reserved_memory();
    for (const Threshold& threshold : config_.thresholds()) {
      const auto amount = amount_of(threshold.signal, threshold.value);
      if (threshold.signal != Signal::kMemoryAvailable || !amount || *amount >= held_back) {
        continue;
      }
      const bool is_guarded = threshold.is_hard() && !config_->node_allocatable.ignore_eviction;
      add(key_of(threshold),
          fmt::format(
              "{} is below the {} that systemReserved and kubeReserved hold back: pods "
              "meet the limit of their own cgroup, and its OOM killer, first{}",
              to_string(threshold.value), format_bytes(Bytes{held_back}),
              is_guarded ? "; only its copy allocatableMemory.available can act before" : ""));
    }
  }

  void warn_of_soft_below_hard() {
    for (const Threshold& soft : config_.thresholds()) {
      for (const Threshold& hard : config_.thresholds()) {
        const bool comparable = soft.value.quantity.has_value() != hard.value.quantity.has_value();
        if (soft.is_hard() || !hard.is_hard() || soft.signal != hard.signal || !comparable) {
          continue;  // two of a kind can be compared without a node
        }
        const auto low = amount_of(hard.signal, hard.value);
        const auto high = amount_of(soft.signal, soft.value);
        if (low && high && *high <= *low) {
          add(key_of(soft), fmt::format("{} is not above the hard threshold {} on this node: the "
                                        "hard one always acts first",
                                        to_string(soft.value), to_string(hard.value)));
        }
      }
    }
  }

  void warn_of_minimum_reclaims() {
    for (const auto& [signal, text] : config_->eviction.minimum_reclaim) {
      for (const Threshold& threshold : given_) {
        if (to_string(threshold.signal) == signal && threshold.min_reclaim &&
            warn_of_minimum_reclaim(threshold, text)) {
          break;
        }
      }
    }
  }

  /// Warns of the copy of memory.available for the pods' memory if the node has enough for the
  /// original.
  void warn_of_copy() {
    const Threshold* original = find_hard(Signal::kMemoryAvailable);
    const auto node = upper_bound_of(Signal::kMemoryAvailable);
    const auto pods = upper_bound_of(Signal::kAllocatableMemoryAvailable);
    const bool has_copy = limits_pods() && !config_->node_allocatable.ignore_eviction;
    if (original == nullptr || !has_copy || !node || !pods) {
      return;
    }
    if (is_met_for_ever(*original, *pods)) {
      if (!is_met_for_ever(*original, *node)) {
        add(key_of(*original),
            fmt::format("{} is not below the {} that systemReserved and kubeReserved leave to "
                        "pods: its copy allocatableMemory.available is always met, and evicts pod "
                        "after pod",
                        to_string(original->value), shown(original->signal, *pods)));
      }
    } else if (is_never_left(*original, *pods) && !is_never_left(*original, *node)) {
      add("evictionMinimumReclaim[memory.available]",
          fmt::format("{} above the threshold {} is more than the {} that systemReserved and "
                      "kubeReserved leave to pods: the pressure of its copy "
                      "allocatableMemory.available would never end",
                      to_string(*original->min_reclaim), to_string(original->value),
                      shown(original->signal, *pods)));
    }
  }

  void warn_of_graces() {
    const std::int64_t rate = facts_.pod_rate_bytes_per_second.value_or(0);
    if (rate <= 0) {
      return;
    }
    for (const Threshold& soft : config_.thresholds()) {
      const auto amount = amount_of(soft.signal, soft.value);
      if (!eviction::is_memory(soft.signal) || soft.is_hard() || !amount) {
        continue;
      }
      const Threshold* hard = find_hard(soft.signal);
      const std::int64_t floor =
          hard == nullptr ? 0 : amount_of(hard->signal, hard->value).value_or(0);
      const double left = static_cast<double>(std::max<std::int64_t>(*amount - floor, 0)) /
                          static_cast<double>(rate);
      const Duration ending =
          std::max<Duration>(config_->eviction.max_pod_grace_period, Duration::zero());
      const double needed = std::chrono::duration<double>(soft.grace_period + ending).count();
      if (needed > left) {
        add(fmt::format("evictionSoftGracePeriod[{}]", to_string(soft.signal)),
            fmt::format("{}{} is longer than the {} that pods growing by {} a second leave "
                        "until {}",
                        format_duration(soft.grace_period),
                        ending == Duration::zero()
                            ? ""
                            : fmt::format(" and {} for a pod to end", format_duration(ending)),
                        format_estimate(left), format_bytes(Bytes{rate}),
                        hard == nullptr ? no_more_of(soft.signal)
                                        : "the hard threshold " + to_string(hard->value)));
      }
    }
  }

  void warn_of_irregular_files() {
    for (const WrittenFile& file : written_files(config_.settings())) {
      if (std::ranges::find(facts_.irregular_files, file.path) != facts_.irregular_files.end()) {
        add(file.key,
            fmt::format("\"{}\" exists but is not a regular file: evictd does not write to it",
                        file.path));
      }
    }
  }

  void warn_of_missing_paths() {
    const StorageSettings& storage = config_->storage;
    const std::initializer_list<std::pair<const char*, const std::string&>> configured{
        {"nodefsPath", storage.node_fs_path},
        {"imagefsPath", storage.image_fs_path},
        {"containerfsPath", storage.container_fs_path}};
    for (const auto& [key, path] : configured) {
      const auto& missing = facts_.missing_paths;
      if (std::find(missing.begin(), missing.end(), path) != missing.end()) {
        add(key, fmt::format("\"{}\" does not exist: evictd watches the filesystem that would hold "
                             "it",
                             path));
      }
    }
  }

  void warn_of_missing_manifests(const char* key, const std::vector<std::string>& directories) {
    for (const std::string& path : directories) {
      const auto& missing = facts_.missing_paths;
      if (std::find(missing.begin(), missing.end(), path) != missing.end()) {
        add(key,
            fmt::format("\"{}\" does not exist: evictd waits for it; until then evictd knows no "
                        "pod from it, and a pod that another directory describes lacks the "
                        "protection that only this one states",
                        path));
      }
    }
  }

  void warn_of_missing_cgroups() {
    if (!facts_.missing_pod_root.empty()) {
      add("cgroupRoot", facts_.missing_pod_root + ": evictd waits for it");
    }
    if (!facts_.missing_controller.empty()) {
      add("cgroupRoot", facts_.missing_controller + ": evictd exits at start");
    }
  }

  void warn_of_missing_memory_high() {
    if (config_->grace_bridge == GraceBridge::kMemoryHigh && !facts_.missing_memory_high.empty()) {
      add("graceBridge", facts_.missing_memory_high + ": no grace period is bridged");
    }
  }

  [[nodiscard]] std::vector<Warning> take() { return std::move(found_); }

 private:
  /// Whether the pods' own cgroup has a limit.
  [[nodiscard]] bool limits_pods() const {
    const auto& enforced = config_->eviction.enforce_node_allocatable;
    return std::find(enforced.begin(), enforced.end(), "pods") != enforced.end();
  }

  /// The memory limit of all pods together.
  [[nodiscard]] std::optional<std::int64_t> allocatable_memory() const {
    if (!facts_.memory_bytes || !limits_pods()) {
      return facts_.memory_bytes;
    }
    return std::max<std::int64_t>(*facts_.memory_bytes - reserved_memory(), 0);
  }

  /// The thresholds without the copies of memory.available, which have the original's minimum
  /// reclaim.
  [[nodiscard]] static std::vector<Threshold> given_thresholds(const Config& config) {
    Settings settings = config.settings();
    settings.node_allocatable.ignore_eviction = true;
    return make_thresholds(settings, "").value_or(std::vector<Threshold>());
  }

  [[nodiscard]] std::optional<std::int64_t> capacity_of(Signal signal) const {
    switch (signal) {
      case Signal::kMemoryAvailable:
        return facts_.memory_bytes;
      case Signal::kAllocatableMemoryAvailable:
        return allocatable_memory();
      case Signal::kNodeFsAvailable:
        return facts_.ephemeral_storage_bytes;
      case Signal::kNodeFsInodesFree:
        return facts_.nodefs_inodes;
      case Signal::kImageFsAvailable:
        return facts_.imagefs_bytes;
      case Signal::kImageFsInodesFree:
        return facts_.imagefs_inodes;
      case Signal::kPidAvailable:
        return facts_.max_pids;
      case Signal::kContainerFsAvailable:
      case Signal::kContainerFsInodesFree:
      case Signal::kUnknown:
        break;
    }
    return std::nullopt;
  }

  /// The maximum possible value, the capacity included.
  [[nodiscard]] std::optional<std::int64_t> upper_bound_of(Signal signal) const {
    // Swap adds to the memory.
    const bool has_no_bound = eviction::is_memory(signal) && config_->memory.swap_aware;
    return has_no_bound ? std::nullopt : capacity_of(signal);
  }

  [[nodiscard]] std::optional<std::int64_t> amount_of(Signal signal,
                                                      const ThresholdValue& value) const {
    return amount_at(value, capacity_of(signal));
  }

  /// nullopt for a share that is not a number, which is below every quantity.
  [[nodiscard]] static std::optional<std::int64_t> amount_at(const ThresholdValue& value,
                                                             std::optional<std::int64_t> capacity) {
    if (value.quantity) {
      return value.quantity->value();
    }
    if (!capacity || std::isnan(value.percentage)) {
      return std::nullopt;
    }
    return eviction::share_of(*capacity, value.percentage);
  }

  [[nodiscard]] std::int64_t reserved_memory() const {
    std::int64_t sum = 0;
    for (const auto* reserved :
         {&config_->node_allocatable.system_reserved, &config_->node_allocatable.kube_reserved}) {
      const auto memory = reserved->find("memory");
      if (memory != reserved->end()) {
        // Validated when it was read; an overflowing sum exceeds any node.
        const std::int64_t amount = eviction::Quantity::parse(memory->second)
                                        .map([](const auto& quantity) { return quantity.value(); })
                                        .value_or(0);
        sum = __builtin_add_overflow(sum, amount, &sum) ? INT64_MAX : sum;
      }
    }
    return sum;
  }

  /// Whether even all of `capacity` is not above the threshold.
  [[nodiscard]] static bool is_met_for_ever(const Threshold& threshold, std::int64_t capacity) {
    const auto amount = amount_at(threshold.value, capacity);
    return amount && *amount >= capacity;
  }

  /// Whether all of `capacity` is less than the threshold plus its minimum reclaim.
  [[nodiscard]] static bool is_never_left(const Threshold& threshold, std::int64_t capacity) {
    if (!threshold.min_reclaim) {
      return false;
    }
    const auto reclaim = amount_at(*threshold.min_reclaim, capacity);
    const auto line = amount_at(threshold.value, capacity);
    return reclaim && line && *reclaim > capacity - std::min(*line, capacity);
  }

  /// Returns whether it warned.
  bool warn_of_minimum_reclaim(const Threshold& threshold, const std::string& text) {
    const std::string key = fmt::format("evictionMinimumReclaim[{}]", to_string(threshold.signal));
    if (!threshold.min_reclaim->quantity && threshold.min_reclaim->percentage > 1) {
      add(key, fmt::format("{} is more than there can be", text));
      return true;
    }
    const auto capacity = upper_bound_of(threshold.signal);
    if (!capacity || !is_never_left(threshold, *capacity)) {
      return false;
    }
    add(key,
        amount_at(*threshold.min_reclaim, capacity) > *capacity
            ? fmt::format("{} is more than the capacity {}: pressure would never end", text,
                          shown(threshold.signal, *capacity))
            : fmt::format("{} above the threshold {} is more than the capacity {}: pressure "
                          "would never end",
                          text, to_string(threshold.value), shown(threshold.signal, *capacity)));
    return true;
  }

  /// The hard threshold that is met first; ignores those that can never be met.
  [[nodiscard]] const Threshold* find_hard(Signal signal) const {
    const Threshold* first = nullptr;
    for (const Threshold& threshold : config_.thresholds()) {
      if (threshold.signal != signal || !threshold.is_hard() ||
          std::isnan(threshold.value.percentage)) {
        continue;
      }
      if (first == nullptr ||
          amount_of(signal, threshold.value) > amount_of(signal, first->value)) {
        first = &threshold;
      }
    }
    return first;
  }

  [[nodiscard]] static std::string no_more_of(Signal signal) {
    return signal == Signal::kMemoryAvailable ? "there is no memory"
                                              : "they have all that they may have";
  }

  /// Formats a quantity in the unit of the threshold beside it.
  [[nodiscard]] static std::string shown(Signal signal, std::int64_t amount) {
    return eviction::Quantity(amount, eviction::format_of(signal)).to_string();
  }

  [[nodiscard]] static std::string key_of(const Threshold& threshold) {
    return fmt::format("{}[{}]", threshold.is_hard() ? "evictionHard" : "evictionSoft",
                       to_string(threshold.signal));
  }

  void add(const std::string& key, const std::string& what) {
    found_.push_back(
        {.key = key, .text = fmt::format("{}: {}: {}", to_string(config_.origin(key)), key, what)});
  }

  const Config& config_;
  const NodeFacts& facts_;
  std::vector<Threshold> given_;
  std::vector<Warning> found_;
};

}  // namespace

std::vector<Warning> find_node_warnings(const Config& config, const NodeFacts& facts) {
  NodeJudge judge(config, facts);
  judge.warn_of_capacity();
  judge.warn_of_reservations();
  judge.warn_of_soft_below_hard();
  judge.warn_of_minimum_reclaims();
  judge.warn_of_copy();
  judge.warn_of_graces();
  judge.warn_of_irregular_files();
  judge.warn_of_missing_paths();
  judge.warn_of_missing_manifests("manifestDirectories", config->manifest_directories);
  judge.warn_of_missing_manifests("staticManifestDirectories", config->static_manifest_directories);
  judge.warn_of_missing_cgroups();
  judge.warn_of_missing_memory_high();
  return judge.take();
}

}  // namespace evictd::config
