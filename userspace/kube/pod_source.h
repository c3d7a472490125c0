// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "evictd/result.h"
#include "evictd/time.h"
#include "kube/pod_document.h"

namespace evictd::kube {

/// A request to a server.
struct Ask {
  enum class Form { kWhole, kStream };
  enum class Method { kGet, kPost, kPatch, kDelete };

  /// Path behind the server's address: "/pods".
  std::string path;
  /// kWhole: on_end() gets the body. kStream: on_data() gets each piece.
  Form form = Form::kWhole;
  /// From the connection to the last byte.
  Duration time_limit{};
  Method method = Method::kGet;
  /// The body and its type; both empty for a GET.
  std::string body{};
  std::string content_type{};
};

/// Result of an Ask.
struct Answer {
  /// Why no answer came, or only a part of one.
  std::optional<Error> error;
  /// HTTP status; 0 if no answer came.
  int status = 0;
  /// The server's Retry-After; 0 if it sent none.
  Duration retry_after{};
  /// Body of a complete answer; for a stream, the body of a refusal.
  std::string body{};
};

/// Receives what a source finds.
class PodSink {
 public:
  virtual ~PodSink() = default;
  virtual void on_list(std::vector<PodDocument> pods, MonoTime now) = 0;
  virtual void on_pod(PodDocument pod) = 0;
  virtual void on_deleted(const std::string& uid) = 0;
  /// The pods reported so far are all that exist now.
  virtual void on_confirmed(MonoTime now) = 0;
  /// Whether any pod is known, so that an empty list would remove it.
  [[nodiscard]] virtual bool knows_pods() const = 0;
};

/// Counters of both kinds of source; those that a source does not use stay 0.
struct SourceCounters {
  std::uint64_t asked = 0;
  std::uint64_t answers = 0;   ///< Complete and accepted.
  std::uint64_t failures = 0;  ///< Of any kind; the next counters divide them by kind.
  std::uint64_t unreachable = 0;
  std::uint64_t unauthorized = 0;  ///< 401 and 403.
  std::uint64_t throttled = 0;     ///< 429.
  std::uint64_t other_status = 0;
  std::uint64_t malformed = 0;     ///< Answers and lines of a watch.
  std::uint64_t refused_pods = 0;  ///< The uid is no file name, or evictd could not read the
                                   ///< manifest.
  std::uint64_t foreign_pods = 0;  ///< Pods on another node.
  std::uint64_t nudges = 0;        ///< evictd reported a pod without a manifest.
  std::uint64_t lists = 0;
  std::uint64_t watches = 0;
  std::uint64_t watch_events = 0;
  std::uint64_t bookmarks = 0;
  std::uint64_t expired = 0;  ///< 410: the source lists again.
  std::uint64_t silent_watches = 0;
  std::uint64_t cut_watches = 0;  ///< Ended within a line, or by a connection error.
};

/// A state machine that reads pods from a server. It returns the requests and their times, and
/// receives the answers. No socket, no clock. One Ask at a time.
/// Thread rule: one thread.
class PodSource {
 public:
  virtual ~PodSource() = default;

  /// The latest time of the next tick() call.
  [[nodiscard]] virtual MonoTime due() const = 0;
  /// The request to send now; nullopt if one is in progress or it is too early.
  [[nodiscard]] virtual std::optional<Ask> tick(MonoTime now) = 0;
  /// Whether the caller must cancel the Ask in progress; on_end() follows as for any other.
  [[nodiscard]] virtual bool must_cancel(MonoTime now) = 0;
  /// The head of a stream's answer came with this status.
  virtual void on_head(int status, MonoTime now) = 0;
  /// A piece of a stream. Returns false if the caller must cancel it.
  [[nodiscard]] virtual bool on_data(std::string_view piece, MonoTime now) = 0;
  virtual void on_end(const Answer& answer, MonoTime now) = 0;
  /// evictd has a pod without a manifest.
  virtual void on_unknown_pod(MonoTime now) = 0;
  /// A manifest could not be written.
  virtual void on_write_failed(MonoTime now) = 0;

  [[nodiscard]] virtual const SourceCounters& counters() const = 0;
  /// The current problem, on one line; empty if there is none.
  [[nodiscard]] virtual const std::string& problem() const = 0;
};

/// Returns a random number in [0, 1).
using RandomPart = std::function<double()>;

/// Counts a failed answer by its kind, and describes the failure on one line.
[[nodiscard]] std::string describe_failure(const Answer& answer, SourceCounters& counters);

}  // namespace evictd::kube
