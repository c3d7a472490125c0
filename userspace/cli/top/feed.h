// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/line_connection.h"
#include "evictd/time.h"

namespace evictd::cli::top {

/// Data from evictd since the last call.
struct News {
  std::optional<nlohmann::ordered_json> status{};
  /// Lines of the journal.
  std::vector<nlohmann::ordered_json> events{};
};

/// Polls evictd's status, and follows its journal; keeps trying while there is no evictd. Never
/// waits: the caller waits for descriptors() and until due().
class Feed {
 public:
  struct Options {
    std::string socket;
    /// Time between two status requests.
    Duration interval;
    /// Start of the journal, in RFC 3339.
    std::string since;
  };
  explicit Feed(Options options) : options_(std::move(options)) {}

  /// Reads what has arrived and sends requests that are due.
  [[nodiscard]] News run(MonoTime now);
  /// Makes the next status request due soon, if it is not due earlier.
  void hurry(MonoTime now);
  /// When run() must be called at the latest.
  [[nodiscard]] MonoTime due() const;
  /// Descriptors to wait on: run() must be called when one is readable.
  [[nodiscard]] std::vector<int> descriptors() const;

  /// Why there is no status; empty while there is one.
  [[nodiscard]] const std::string& trouble() const { return trouble_; }
  /// Why there are no events although there is a status.
  [[nodiscard]] const std::string& events_trouble() const { return events_trouble_; }

 private:
  void run_status(MonoTime now, News& news);
  void run_journal(MonoTime now, News& news);
  void take_status(MonoTime now, const std::string& line, News& news);
  /// Returns whether the journal continues after it.
  [[nodiscard]] bool take_event(const std::string& line, News& news);
  void give_status_up(MonoTime now, const std::string& why);
  [[nodiscard]] std::string journal_request() const;

  Options options_;
  std::optional<base::LineConnection> status_{};
  std::optional<base::LineConnection> journal_{};
  MonoTime status_due_{};
  MonoTime status_given_up_at_{};
  MonoTime journal_due_{};
  /// Number of the journal's last line.
  std::optional<std::uint64_t> seq_{};
  std::string trouble_{};
  std::string events_trouble_{};
};

}  // namespace evictd::cli::top
