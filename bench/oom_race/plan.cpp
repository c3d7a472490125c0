// SPDX-License-Identifier: Apache-2.0
#include "oom_race/plan.h"

#include <nlohmann/json.hpp>

namespace evictd::bench {
namespace {

constexpr Racer kRacers[] = {Racer::kEvictd,     Racer::kEvictdGrace, Racer::kEvictdFloor,
                             Racer::kEvictdPoll, Racer::kEarlyoom,    Racer::kNohang,
                             Racer::kOomd,       Racer::kSystemdOomd};
constexpr Bytes kRates[] = {100_MiB, 300_MiB, Bytes{0}};

std::string rate_of(const RaceScene& scene) {
  return scene.rate.value == 0 ? "full" : std::to_string(scene.rate.value >> 20) + "MiB/s";
}

std::string_view pages_of(const RaceScene& scene) {
  return scene.pages == stage::PageKind::kHuge ? "thp" : "4k";
}

std::vector<RaceScene> scenes() {
  std::vector<RaceScene> all;
  for (const bool zram : {false, true}) {
    for (const std::string_view threshold : {"100Mi", "5%"}) {
      for (const stage::PageKind pages : {stage::PageKind::k4KiB, stage::PageKind::kHuge}) {
        for (const Bytes rate : kRates) {
          all.push_back({zram, pages, rate, threshold});
        }
      }
    }
  }
  return all;
}

}  // namespace

std::string_view name_of(Racer racer) {
  switch (racer) {
    case Racer::kEvictd:
      return "evictd";
    case Racer::kEvictdGrace:
      return "evictd-grace";
    case Racer::kEvictdFloor:
      return "evictd-floor";
    case Racer::kEvictdPoll:
      return "evictd-poll";
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
  return racer == Racer::kEvictd || racer == Racer::kEvictdGrace || racer == Racer::kEvictdFloor ||
         racer == Racer::kEvictdPoll;
}

Bytes threshold_of(const RaceScene& scene, Bytes capacity) {
  return scene.threshold == "5%" ? Bytes{capacity.value / 20} : 100_MiB;
}

nlohmann::json params_of(const RaceRow& row) {
  return {{"racer", name_of(row.racer)},
          {"hog", rate_of(row.scene)},
          {"pages", pages_of(row.scene)},
          {"threshold", row.scene.threshold},
          {"swap", row.scene.zram ? "zram" : "none"}};
}

std::string title_of(const RaceRow& row) {
  std::string title{name_of(row.racer)};
  title += " " + rate_of(row.scene);
  title += " " + std::string{pages_of(row.scene)};
  title += " " + std::string{row.scene.threshold};
  title += row.scene.zram ? " zram" : " noswap";
  return title;
}

std::vector<std::vector<RaceRow>> race_plan(const Selection& selection) {
  std::vector<std::vector<RaceRow>> groups;
  for (const RaceScene& scene : scenes()) {
    std::vector<RaceRow> rows;
    for (const Racer racer : kRacers) {
      const RaceRow row{scene, racer};
      if (selection.wants(title_of(row))) {
        rows.push_back(row);
      }
    }
    if (!rows.empty()) {
      groups.push_back(std::move(rows));
    }
  }
  return groups;
}

}  // namespace evictd::bench
