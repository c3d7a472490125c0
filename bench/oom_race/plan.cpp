// SPDX-License-Identifier: Apache-2.0
#include "oom_race/plan.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <random>
#include <utility>

namespace evictd::bench {
namespace {

constexpr Racer kRacers[] = {Racer::kEvictd,     Racer::kEvictdGrace,   Racer::kEvictdBridge,
                             Racer::kEvictdPoll, Racer::kEvictdKubelet, Racer::kEvictdKubeletGrace,
                             Racer::kEarlyoom,   Racer::kNohang,        Racer::kOomd,
                             Racer::kSystemdOomd};
constexpr Bytes kRates[] = {100_MiB, 300_MiB, Bytes{0}};
constexpr std::string_view kThresholds[] = {"100Mi", "5%"};
constexpr std::uint32_t kOrderSeed = 1;

std::string rate_of(const RaceScene& scene) {
  return scene.rate.value == 0 ? "full" : std::to_string(scene.rate.value >> 20) + "MiB/s";
}

std::string_view pages_of(const RaceScene& scene) {
  return scene.pages == stage::PageKind::kHuge ? "thp" : "4k";
}

/// The scenes without their thresholds.
std::vector<RaceScene> scenes() {
  std::vector<RaceScene> all;
  for (const SwapKind swap : {SwapKind::kNone, SwapKind::kZram, SwapKind::kFile}) {
    for (const stage::PageKind pages : {stage::PageKind::k4KiB, stage::PageKind::kHuge}) {
      for (const Bytes rate : kRates) {
        all.push_back({swap, pages, rate, {}});
      }
    }
  }
  return all;
}

/// Uses a generator that the standard defines exactly and its own algorithm: std::shuffle differs
/// between libraries.
void shuffle(std::vector<RaceRun>& runs, std::mt19937& random) {
  for (std::size_t left = runs.size(); left > 1; --left) {
    std::swap(runs[left - 1], runs[random() % left]);
  }
}

std::vector<RaceRun> runs_of(const RaceScene& scene) {
  std::vector<RaceRun> runs;
  for (const Racer racer : kRacers) {
    std::vector<RaceRow> rows;
    for (const std::string_view threshold : kThresholds) {
      rows.push_back(RaceRow{{scene.swap, scene.pages, scene.rate, threshold}, racer});
    }
    if (is_evictd(racer)) {
      for (const RaceRow& row : rows) {
        runs.push_back(RaceRun{{row}});
      }
    } else {
      runs.push_back(RaceRun{std::move(rows)});
    }
  }
  return runs;
}

}  // namespace

std::string_view name_of(SwapKind swap) {
  switch (swap) {
    case SwapKind::kNone:
      return "none";
    case SwapKind::kZram:
      return "zram";
    case SwapKind::kFile:
      return "swapfile";
  }
  return "";
}

std::string_view name_of(Racer racer) {
  switch (racer) {
    case Racer::kEvictd:
      return "evictd";
    case Racer::kEvictdGrace:
      return "evictd-grace";
    case Racer::kEvictdBridge:
      return "evictd-bridge";
    case Racer::kEvictdPoll:
      return "evictd-poll";
    case Racer::kEvictdKubelet:
      return "evictd-kubelet";
    case Racer::kEvictdKubeletGrace:
      return "evictd-kubelet-grace";
    case Racer::kEarlyoom:
      return "earlyoom";
    case Racer::kNohang:
      return "nohang";
    case Racer::kOomd:
      return "oomd";
    case Racer::kSystemdOomd:
      return "systemd-oomd";
  }
  return "";
}

bool is_evictd(Racer racer) {
  return racer == Racer::kEvictd || racer == Racer::kEvictdGrace || racer == Racer::kEvictdBridge ||
         racer == Racer::kEvictdPoll || racer == Racer::kEvictdKubelet ||
         racer == Racer::kEvictdKubeletGrace;
}

std::string_view memory_source_of(Racer racer) {
  return racer == Racer::kEvictdKubelet || racer == Racer::kEvictdKubeletGrace ? "kubelet"
                                                                               : "memAvailable";
}

Bytes threshold_of(const RaceScene& scene, Bytes capacity) {
  return scene.threshold == "5%" ? Bytes{capacity.value / 20} : 100_MiB;
}

nlohmann::json params_of(const RaceRow& row) {
  return {{"racer", name_of(row.racer)},
          {"hog", rate_of(row.scene)},
          {"pages", pages_of(row.scene)},
          {"threshold", row.scene.threshold},
          {"swap", name_of(row.scene.swap)}};
}

std::string title_of(const RaceRow& row) {
  std::string title{name_of(row.racer)};
  title += " " + rate_of(row.scene);
  title += " " + std::string{pages_of(row.scene)};
  title += " " + std::string{row.scene.threshold};
  const std::string swap{name_of(row.scene.swap)};
  title += row.scene.swap == SwapKind::kNone ? " noswap" : " " + swap;
  return title;
}

std::vector<std::vector<RaceRun>> race_plan(const Selection& selection) {
  std::vector<std::vector<RaceRun>> groups;
  std::mt19937 random{kOrderSeed};
  for (const RaceScene& scene : scenes()) {
    std::vector<RaceRun> wanted;
    std::vector<RaceRun> all = runs_of(scene);
    // Before the selection, so that the order is that of the whole plan.
    shuffle(all, random);
    for (RaceRun& run : all) {
      std::erase_if(run.rows, [&](const RaceRow& row) { return !selection.wants(title_of(row)); });
      if (!run.rows.empty()) {
        wanted.push_back(std::move(run));
      }
    }
    if (!wanted.empty()) {
      groups.push_back(std::move(wanted));
    }
  }
  return groups;
}

}  // namespace evictd::bench
