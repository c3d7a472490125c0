// SPDX-License-Identifier: Apache-2.0
#include "config/process_keys.h"

#include <chrono>
#include <nlohmann/json.hpp>

#include "config/field_readers.h"
#include "config/key_kinds.h"

namespace evictd::config {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Choices<base::LogFormat, 2> kLogFormats{
    {{"text", base::LogFormat::kText}, {"json", base::LogFormat::kJson}}};
constexpr Choices<base::LogLevel, 4> kLogLevels{{{"debug", base::LogLevel::kDebug},
                                                 {"info", base::LogLevel::kInfo},
                                                 {"warn", base::LogLevel::kWarn},
                                                 {"error", base::LogLevel::kError}}};

}  // namespace

std::vector<Key> process_keys() {
  return {
      bool_key("realtime.enabled", Effect::kRestart,
               field(&Settings::realtime, &RealtimeSettings::enabled)),
      integer_key("realtime.priority", Effect::kRestart,
                  field(&Settings::realtime, &RealtimeSettings::priority), {1, 99}),
      duration_key("realtime.limit", Effect::kRestart,
                   field(&Settings::realtime, &RealtimeSettings::limit),
                   {milliseconds(10), seconds(10)}),
      bool_key("lockMemory", Effect::kRestart, field(&Settings::lock_memory)),
      bool_key("watchdog", Effect::kRestart, field(&Settings::watchdog)),
      text_key("runtimeDirectory", Effect::kRestart, field(&Settings::runtime_directory),
               read_path),
      text_key("stateFile", Effect::kRestart, field(&Settings::state_file), read_path_or_none),
      text_key("controlSocket", Effect::kRestart, field(&Settings::control_socket), read_path),
      text_key("notifySocket", Effect::kRestart, field(&Settings::notify_socket),
               read_path_or_nothing),
      choice_key("log.format", Effect::kReload, field(&Settings::log, &base::LogOptions::format),
                 kLogFormats),
      choice_key("log.level", Effect::kReload, field(&Settings::log, &base::LogOptions::level),
                 kLogLevels),
      text_key("recordFile", Effect::kRestart, field(&Settings::records, &RecordSettings::file),
               read_path),
      bytes_key("recordMaxBytes", Effect::kRestart,
                field(&Settings::records, &RecordSettings::max_bytes), {64_KiB, 64_GiB}),
      integer_key("recordFiles", Effect::kRestart,
                  field(&Settings::records, &RecordSettings::files), {1, 100}),
      bool_key("faults.dropKernelEvents", Effect::kRestart,
               field(&Settings::faults, &FaultSettings::drop_kernel_events)),
  };
}

}  // namespace evictd::config
