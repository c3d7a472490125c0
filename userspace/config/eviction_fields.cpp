// SPDX-License-Identifier: Apache-2.0
#include "config/eviction_fields.h"

#include <fmt/format.h>

#include <utility>

#include "core/nearest_name.h"
#include "evictd/try.h"
#include "eviction/parse_thresholds.h"

namespace evictd::config {
namespace {

/// One entry, together with what the kubelet needs beside it to check it.
eviction::ThresholdTexts lone_entry(SignalMap which, const std::string& signal,
                                    const std::string& text) {
  eviction::ThresholdTexts texts;
  switch (which) {
    case SignalMap::kHard:
      texts.hard[signal] = text;
      break;
    case SignalMap::kSoft:
      texts.soft[signal] = text;
      texts.soft_grace_period[signal] = "1s";
      break;
    case SignalMap::kSoftGracePeriod:
      texts.soft[signal] = "1";
      texts.soft_grace_period[signal] = text;
      break;
    case SignalMap::kMinimumReclaim:
      texts.hard[signal] = "1";
      texts.minimum_reclaim[signal] = text;
      break;
  }
  return texts;
}

std::string_view allowed_texts(SignalMap which) {
  switch (which) {
    case SignalMap::kHard:
    case SignalMap::kSoft:
      return R"(a quantity above 0 such as "100Mi", or a percentage such as "10%")";
    case SignalMap::kSoftGracePeriod:
      return R"(a duration of at least 0s such as "90s" or "1m30s")";
    case SignalMap::kMinimumReclaim:
      return R"(a quantity of at least 0 such as "50Mi", or a percentage such as "5%")";
  }
  return "";
}

std::vector<std::string> signal_names(eviction::Compat compat) {
  std::vector<std::string> names;
  for (const eviction::Signal signal : eviction::kSignals) {
    const std::string_view name = to_string(signal);
    if (eviction::signal_from_text(name, compat) == signal) {
      names.emplace_back(name);
    }
  }
  return names;
}

}  // namespace

Result<std::map<std::string, std::string>> read_signal_map(const Value& value, SignalMap which,
                                                           eviction::Compat compat) {
  const std::vector<std::string> names = signal_names(compat);
  const std::string signals = fmt::format("{}", fmt::join(names, ", "));
  EVICTD_TRY(expect_map(value, "a mapping with any of " + signals));
  std::map<std::string, std::string> texts;
  for (const YamlEntry& entry : value.node.entries) {
    const Value member = entry_of(value, entry);
    if (eviction::signal_from_text(entry.key, compat) == eviction::Signal::kUnknown) {
      return member.refuse(
          fmt::format("unknown signal, the nearest is {}", core::nearest_name(entry.key, names)),
          signals);
    }
    EVICTD_ASSIGN_OR_RETURN(std::string text, read_text(member));
    const auto judged = eviction::parse_thresholds(lone_entry(which, entry.key, text), compat);
    if (!judged) {
      return member.refuse(judged.error().message(), allowed_texts(which));
    }
    texts.emplace(entry.key, std::move(text));
  }
  return texts;
}

Result<std::vector<eviction::Threshold>> make_thresholds(const Settings& settings,
                                                         std::string_view filename) {
  const EvictionSettings& written = settings.eviction;
  Result<std::vector<eviction::Threshold>> thresholds = eviction::parse_thresholds(
      {.hard = written.hard,
       .soft = written.soft,
       .soft_grace_period = written.soft_grace_period,
       .minimum_reclaim = written.minimum_reclaim,
       .enforce_node_allocatable = settings.node_allocatable.ignore_eviction
                                       ? std::vector<std::string>()
                                       : written.enforce_node_allocatable},
      settings.compatibility);
  if (!thresholds) {
    return fail_in(filename, thresholds.error());
  }
  return thresholds;
}

std::string_view name_of(eviction::Compat compat) {
  switch (compat) {
    case eviction::Compat::k1_26:
      return "1.26";
    case eviction::Compat::k1_32:
      return "1.32";
  }
  return "unknown";
}

}  // namespace evictd::config
