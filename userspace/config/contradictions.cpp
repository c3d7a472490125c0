// SPDX-License-Identifier: Apache-2.0
#include "config/contradictions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "config/value.h"
#include "config/written_files.h"
#include "eviction/parse_thresholds.h"

namespace evictd::config {
namespace {

/// Maximum path length in the address of a Unix socket, in bytes.
constexpr std::size_t kLongestSocketPath = 107;

/// Reports the findings of one rule in one file.
class Judge {
 public:
  Judge(const Origins& origins, std::string_view filename)
      : origins_(origins), filename_(filename) {}

  [[nodiscard]] bool is_given(const std::string& key) const { return origins_.contains(key); }

  [[nodiscard]] Failure refuse(const std::string& key, std::string_view shown,
                               std::string_view reason, std::string_view allowed) const {
    const auto found = origins_.find(key);
    const Origin origin = found == origins_.end() ? Origin{} : found->second;
    const bool is_file = origin.kind == Origin::Kind::kFile;
    const std::string place = is_file                              ? origin.source
                              : origin.kind == Origin::Kind::kFlag ? to_string(origin)
                                                                   : std::string(filename_);
    return config::refuse({.filename = place,
                           .line = is_file ? origin.line : 0,
                           .key = key,
                           .shown = shown,
                           .reason = reason,
                           .allowed = allowed});
  }

  /// Refuses unless `low` is at most `high`; the error has the line of the one that was given.
  [[nodiscard]] Result<> expect_order(const std::string& low_key, Duration low,
                                      const std::string& high_key, Duration high) const {
    if (low <= high) {
      return {};
    }
    if (is_given(low_key)) {
      return refuse(low_key, format_duration(low),
                    fmt::format("above {} ({})", high_key, format_duration(high)),
                    fmt::format("at most {}", high_key));
    }
    return refuse(high_key, format_duration(high),
                  fmt::format("below {} ({})", low_key, format_duration(low)),
                  fmt::format("at least {}", low_key));
  }

 private:
  const Origins& origins_;
  std::string_view filename_;
};

std::string entry_key(std::string_view map, std::string_view signal) {
  return fmt::format("{}[{}]", map, signal);
}

std::string in_quotes(std::string_view text) {
  return fmt::format("\"{}\"", text);
}

Result<> check_soft_thresholds(const EvictionSettings& eviction, const Judge& judge) {
  for (const auto& [signal, text] : eviction.soft) {
    if (!eviction::is_switched_off(text) && !eviction.soft_grace_period.contains(signal)) {
      return judge.refuse(entry_key("evictionSoft", signal), in_quotes(text),
                          "a soft threshold without a grace period",
                          fmt::format("an evictionSoftGracePeriod for {} beside it", signal));
    }
  }
  // A lone grace period of the kubelet's sources was dropped before.
  for (const auto& [signal, text] : eviction.soft_grace_period) {
    if (!eviction.soft.contains(signal)) {
      return judge.refuse(entry_key("evictionSoftGracePeriod", signal), in_quotes(text),
                          "a grace period without a soft threshold",
                          fmt::format("an evictionSoft for {} beside it", signal));
    }
  }
  return {};
}

Result<> check_bounds(const Settings& settings, const Judge& judge) {
  return judge
      .expect_order("adaptivePolling.min", settings.adaptive_polling.min, "adaptivePolling.max",
                    settings.adaptive_polling.max)
      .and_then([&] {
        return judge.expect_order("diskSampling.min", settings.storage.sampling.min,
                                  "diskSampling.max", settings.storage.sampling.max);
      })
      .and_then([&] {
        return judge.expect_order("sweep.floor", settings.sweep.floor, "sweep.basePeriod",
                                  settings.sweep.base_period);
      })
      .and_then([&] {
        return judge.expect_order("stall.notice", settings.stall.notice, "stall.window",
                                  settings.stall.window);
      });
}

Result<> check_event_source(const Settings& settings, const Judge& judge) {
  if (settings.event_source != EventSource::kPoll) {
    return {};
  }
  if (settings.per_page_hook) {
    return judge.refuse("perPageHook", "true", "a BPF hook while eventSource is poll",
                        "false, or eventSource auto or bpf");
  }
  if (settings.in_kernel_brake_mode() != InKernelBrake::kOff) {
    return judge.refuse("inKernelBrake", "not off", "a BPF program while eventSource is poll",
                        "off, or eventSource auto or bpf");
  }
  if (!settings.attach_pins.empty()) {
    return judge.refuse("attachPins", "a mapping", "BPF hooks while eventSource is poll",
                        "no attachPins, or eventSource auto or bpf");
  }
  return {};
}

Result<> check_directories(const Settings& settings, const Judge& judge) {
  for (const std::string& directory : settings.static_manifest_directories) {
    const auto& others = settings.manifest_directories;
    if (std::find(others.begin(), others.end(), directory) != others.end()) {
      return judge.refuse("staticManifestDirectories", in_quotes(directory),
                          "also in manifestDirectories", "each directory in one of the two lists");
    }
  }
  return {};
}

Result<> check_written_files(const Settings& settings, const Judge& judge) {
  const std::vector<WrittenFile> files = written_files(settings);
  for (auto later = files.begin(); later != files.end(); ++later) {
    const auto earlier = std::find_if(files.begin(), later, [&](const WrittenFile& file) {
      return file.key != later->key && file.path == later->path;
    });
    if (earlier == later) {
      continue;
    }
    const bool is_given = judge.is_given(later->key);
    const WrittenFile& named = is_given ? *later : *earlier;
    const WrittenFile& other = is_given ? *earlier : *later;
    return judge.refuse(named.key, in_quotes(named.path),
                        fmt::format("{} is written there too", other.key),
                        "a path of its own for each");
  }
  return {};
}

Result<> check_control_socket(const Settings& settings, const Judge& judge) {
  const std::size_t length = settings.control_socket_path().size();
  if (length <= kLongestSocketPath) {
    return {};
  }
  const bool is_given = !settings.control_socket.empty();
  YamlNode value;
  value.kind = YamlNode::Kind::kScalar;
  value.text = is_given ? settings.control_socket : settings.runtime_directory;
  if (is_given) {
    return judge.refuse("controlSocket", shown(value),
                        fmt::format("too long for a socket ({} bytes)", length),
                        fmt::format("a path of at most {} bytes", kLongestSocketPath));
  }
  const std::size_t longest_directory = kLongestSocketPath - (length - value.text.size());
  return judge.refuse("runtimeDirectory", shown(value),
                      fmt::format("its control.sock is too long for a socket ({} bytes)", length),
                      fmt::format("a path of at most {} bytes, or a controlSocket of at most {}",
                                  longest_directory, kLongestSocketPath));
}

/// The socket is created under a longer name, which must fit too.
Result<> check_notify_socket(const Settings& settings, const Judge& judge) {
  constexpr std::size_t kLongest = kLongestSocketPath - std::string_view(".new").size();
  const std::size_t length = settings.notify_socket.size();
  if (length <= kLongest) {
    return {};
  }
  YamlNode value;
  value.kind = YamlNode::Kind::kScalar;
  value.text = settings.notify_socket;
  return judge.refuse("notifySocket", shown(value),
                      fmt::format("too long for a socket that is renamed ({} bytes)", length),
                      fmt::format("a path of at most {} bytes", kLongest));
}

/// The kubelet of 1.26 does not know these levels.
Result<> check_levels(const Settings& settings, const Judge& judge) {
  if (settings.compatibility != eviction::Compat::k1_26) {
    return {};
  }
  for (const std::string& level : settings.eviction.enforce_node_allocatable) {
    if (level.ends_with("-compressible")) {
      return judge.refuse("enforceNodeAllocatable", in_quotes(level),
                          "unknown to the kubelet of compatibility 1.26",
                          "a list of pods, system-reserved, kube-reserved, none; none only alone");
    }
  }
  return {};
}

/// Without a cgroup for all pods the kubelet cannot enforce anything on them.
Result<> check_enforcement(const Settings& settings, const Judge& judge) {
  if (settings.node_allocatable.cgroups_per_qos) {
    return {};
  }
  for (const std::string& level : settings.eviction.enforce_node_allocatable) {
    if (level != "none") {
      return judge.refuse("cgroupsPerQOS", "false",
                          fmt::format("enforceNodeAllocatable has {}", in_quotes(level)),
                          "true, or an enforceNodeAllocatable that is empty or none");
    }
  }
  return {};
}

}  // namespace

Result<> check_contradictions(const Settings& settings, const Origins& origins,
                              std::string_view filename) {
  const Judge judge(origins, filename);
  return check_soft_thresholds(settings.eviction, judge)
      .and_then([&] { return check_bounds(settings, judge); })
      .and_then([&] { return check_event_source(settings, judge); })
      .and_then([&] { return check_directories(settings, judge); })
      .and_then([&] { return check_written_files(settings, judge); })
      .and_then([&] { return check_control_socket(settings, judge); })
      .and_then([&] { return check_notify_socket(settings, judge); })
      .and_then([&] { return check_levels(settings, judge); })
      .and_then([&] { return check_enforcement(settings, judge); });
}

}  // namespace evictd::config
