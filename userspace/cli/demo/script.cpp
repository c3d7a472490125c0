// SPDX-License-Identifier: Apache-2.0
#include "demo/script.h"

#include <algorithm>

#include "evictd/try.h"
#include "stage/text_file.h"

namespace evictd::demo {
namespace {

using stage::QosClass;

/// Minimum distance between threshold and limit, so that a hog at full speed is killed before the
/// kernel's OOM killer acts. 64 MiB are 27 ms of the fastest single-threaded 4 KiB hog measured.
constexpr Bytes kLeastHeadroom = 64_MiB;
/// Larger values show nothing more.
constexpr Bytes kMostHeadroom = 512_MiB;
constexpr Bytes kLeastRunUp = 64_MiB;
constexpr Bytes kMostRunUp = 256_MiB;
constexpr Bytes kLeastAvailable = 320_MiB;
constexpr std::int64_t kShare = 16;

std::vector<Bystander> bystanders() {
  return {
      {{.name = "guaranteed-database",
        .qos = QosClass::kGuaranteed,
        .priority = 0,
        .memory_request = 64_MiB,
        .memory_limit = 64_MiB},
       32_MiB},
      {{.name = "burstable-web",
        .qos = QosClass::kBurstable,
        .priority = 0,
        .memory_request = 48_MiB},
       24_MiB},
      {{.name = "besteffort-important", .qos = QosClass::kBestEffort, .priority = 1000}, 24_MiB},
  };
}

Script plain_script_of(Scenario scenario) {
  switch (scenario) {
    case Scenario::kMemory:
    case Scenario::kSoft:
      return {bystanders(),
              {.name = "besteffort-hog", .qos = QosClass::kBestEffort, .priority = 0},
              "besteffort-hog",
              "it uses more than it asked for, like besteffort-important, and has the lower "
              "priority of the two"};
    case Scenario::kTmpfs:
      return {
          bystanders(),
          {.name = "besteffort-scratch", .qos = QosClass::kBestEffort, .empty_dir = true},
          "besteffort-scratch",
          "it uses more than it asked for, like besteffort-important, and has the lower "
          "priority of the two; what it wrote to its tmpfs stays charged to it after its death, "
          "and nobody else has to go for that"};
    case Scenario::kDisk:
      return {bystanders(),
              {.name = "besteffort-filler", .qos = QosClass::kBestEffort, .empty_dir = true},
              "besteffort-filler",
              "all of them use more local storage than the none they asked for; of the lowest "
              "priority it uses most"};
    case Scenario::kInodes:
      return {bystanders(),
              {.name = "besteffort-filemaker", .qos = QosClass::kBestEffort, .empty_dir = true},
              "besteffort-filemaker",
              "among the pods of the lowest priority it has the most inodes"};
    case Scenario::kEmptyDir:
      return {bystanders(),
              {.name = "burstable-cache",
               .qos = QosClass::kBurstable,
               .priority = 500,
               .memory_request = 32_MiB,
               .empty_dir = true,
               .empty_dir_limit = Sizes{}.empty_dir_limit},
              "burstable-cache",
              "its emptyDir exceeds its sizeLimit, and neither priority nor class counts for that"};
    case Scenario::kPids:
      return {bystanders(),
              {.name = "burstable-forkbomb",
               .qos = QosClass::kBurstable,
               .priority = 0,
               .memory_request = 32_MiB},
              "burstable-forkbomb",
              "among the pods of the lowest priority it has the most processes"};
  }
  return {};
}

/// On a disk every pod has a volume.
Script with_volumes(Script script) {
  for (Bystander& bystander : script.bystanders) {
    bystander.spec.empty_dir = true;
    bystander.holds = Bytes{bystander.holds.value / 4};
  }
  return script;
}

}  // namespace

Script script_of(Scenario scenario) {
  Script script = plain_script_of(scenario);
  return is_on_disk(scenario) ? with_volumes(std::move(script)) : script;
}

Result<Sizes> sizes_for(Bytes available) {
  if (available < kLeastAvailable) {
    return fail(Errc::kExhausted, "only " + std::to_string(available.value >> 20) +
                                      " MiB of memory are available; the demonstration needs " +
                                      std::to_string(kLeastAvailable.value >> 20));
  }
  const Bytes share{available.value / kShare};
  Sizes sizes;
  sizes.run_up = std::clamp(share, kLeastRunUp, kMostRunUp);
  sizes.headroom = std::clamp(share, kLeastHeadroom, kMostHeadroom);
  return sizes;
}

Result<Bytes> memory_available() {
  EVICTD_ASSIGN_OR_RETURN(const std::string text, stage::read_text("/proc/meminfo"));
  const std::size_t line = text.find("MemAvailable:");
  const std::size_t digits = text.find_first_of("0123456789", line);
  if (line == std::string::npos || digits == std::string::npos) {
    return fail(Errc::kMalformed, "/proc/meminfo has no MemAvailable");
  }
  return stage::parse_number(std::string_view{text}.substr(digits)).map([](std::int64_t kib) {
    return Bytes{kib * 1024};
  });
}

}  // namespace evictd::demo
