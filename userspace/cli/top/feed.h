// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/top/line_connection.h"
#include "evictd/time.h"

namespace evictd::cli::top {

/// What evictd has told since the last time.
struct News {
  std::optional<nlohmann::ordered_json> status{};
  /// Lines of the journal.
  std::vector<nlohmann::ordered_json> events{};
};

/// Asks evictd for its status again and again, and follows its journal; goes on asking while there
/// is none. Nothing here waits: the caller does, for descriptors() and until due().
class Feed {
 public:
  struct Options {
    std::string socket;
    /// From one status to the next.
    Duration interval;
    /// The journal from this time on, in RFC 3339.
    std::string since;
  };
  explicit Feed(Options options) : options_(std::move(options)) {}

  /// Takes what has come and asks for what is due.
  [[nodiscard]] News run(MonoTime now);
  /// Asks for a status this soon, if it is not due before.
  void hurry(MonoTime now);
  /// When run() has something to do, whatever comes.
  [[nodiscard]] MonoTime due() const;
  /// Those whose becoming readable run() has to see.
  [[nodiscard]] std::vector<int> descriptors() const;

  /// Why there is no status; empty while there is.
  [[nodiscard]] const std::string& trouble() const { return trouble_; }
  /// Why there are no events although there is a status.
  [[nodiscard]] const std::string& events_trouble() const { return events_trouble_; }

 private:
  void run_status(MonoTime now, News& news);
  void run_journal(MonoTime now, News& news);
  void take_status(MonoTime now, const std::string& line, News& news);
  /// Whether the journal goes on behind it.
  [[nodiscard]] bool take_event(const std::string& line, News& news);
  void give_status_up(MonoTime now, const std::string& why);
  [[nodiscard]] std::string journal_request() const;

  Options options_;
  std::optional<LineConnection> status_{};
  std::optional<LineConnection> journal_{};
  MonoTime status_due_{};
  MonoTime status_given_up_at_{};
  MonoTime journal_due_{};
  /// Of the last line of the journal.
  std::optional<std::uint64_t> seq_{};
  std::string trouble_{};
  std::string events_trouble_{};
};

}  // namespace evictd::cli::top
