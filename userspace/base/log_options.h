// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace evictd::base {

enum class LogFormat {
  kText,  ///< "2026-01-31T12:00:00.000Z info evicted pod pod=shop/cart signal=memory.available"
  kJson,  ///< One object a line with ts, level, msg and the fields.
};

/// The lowest level that is logged.
enum class LogLevel { kDebug, kInfo, kWarn, kError };

struct LogOptions {
  LogFormat format = LogFormat::kText;
  LogLevel level = LogLevel::kInfo;

  bool operator==(const LogOptions&) const = default;
};

}  // namespace evictd::base
