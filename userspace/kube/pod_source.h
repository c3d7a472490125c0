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

/// What a server is to be asked.
struct Ask {
  enum class Form { kWhole, kStream };
  enum class Method { kGet, kPost, kPatch, kDelete };

  /// Behind the server's address: "/pods".
  std::string path;
  /// kWhole: on_end() has the body. kStream: on_data() has each piece.
  Form form = Form::kWhole;
  /// From the connection to the last byte.
  Duration time_limit{};
  Method method = Method::kGet;
  /// With its type; neither for a GET.
  std::string body{};
  std::string content_type{};
};

/// How an Ask ended.
struct Answer {
  /// Why no answer, or no whole one, came.
  std::optional<Error> error;
  /// Of HTTP; 0 where none came.
  int status = 0;
  /// What the server asks to wait, by Retry-After; 0 for nothing.
  Duration retry_after{};
  /// Of a whole answer; of a stream what was refused instead of it.
  std::string body{};
};

/// What a source found out.
class PodSink {
 public:
  virtual ~PodSink() = default;
  virtual void on_list(std::vector<PodDocument> pods, MonoTime now) = 0;
  virtual void on_pod(PodDocument pod) = 0;
  virtual void on_deleted(const std::string& uid) = 0;
  /// What was told so far is all that there is now.
  virtual void on_confirmed(MonoTime now) = 0;
  /// Whether a pod is known, so that an empty list would remove it.
  [[nodiscard]] virtual bool knows_pods() const = 0;
};

/// Of both kinds of source; those that one of them has no use for stay 0.
struct SourceCounters {
  std::uint64_t asked = 0;
  std::uint64_t answers = 0;   ///< Whole and believed.
  std::uint64_t failures = 0;  ///< Of any kind; the next ones say of which.
  std::uint64_t unreachable = 0;
  std::uint64_t unauthorized = 0;  ///< 401 and 403.
  std::uint64_t throttled = 0;     ///< 429.
  std::uint64_t other_status = 0;
  std::uint64_t malformed = 0;     ///< Answers and lines of a watch.
  std::uint64_t refused_pods = 0;  ///< A uid that names no file, or that no manifest can be of.
  std::uint64_t foreign_pods = 0;  ///< Of another node.
  std::uint64_t nudges = 0;        ///< evictd told of a pod that nobody described.
  std::uint64_t lists = 0;
  std::uint64_t watches = 0;
  std::uint64_t watch_events = 0;
  std::uint64_t bookmarks = 0;
  std::uint64_t expired = 0;  ///< 410: listed anew.
  std::uint64_t silent_watches = 0;
  std::uint64_t cut_watches = 0;  ///< Ended within a line, or by an error of the connection.
};

/// A state machine that asks a server for pods: it says what to ask and when, and is given the
/// answers. No socket, no clock. One Ask at a time. Thread rule: one thread.
class PodSource {
 public:
  virtual ~PodSource() = default;

  /// When to call tick() next, at the latest.
  [[nodiscard]] virtual MonoTime due() const = 0;
  /// What is to be asked now; nothing while one is being answered or it is too early.
  [[nodiscard]] virtual std::optional<Ask> tick(MonoTime now) = 0;
  /// Whether the Ask that is being answered is to be broken off; on_end() follows as for any other.
  [[nodiscard]] virtual bool gives_up(MonoTime now) = 0;
  /// The head of a stream's answer came with this status.
  virtual void on_head(int status, MonoTime now) = 0;
  /// A piece of a stream. False: break it off.
  [[nodiscard]] virtual bool on_data(std::string_view piece, MonoTime now) = 0;
  virtual void on_end(const Answer& answer, MonoTime now) = 0;
  /// evictd has a pod that nobody described.
  virtual void on_unknown_pod(MonoTime now) = 0;
  /// A manifest could not be written.
  virtual void on_not_written(MonoTime now) = 0;

  [[nodiscard]] virtual const SourceCounters& counters() const = 0;
  /// What is wrong now, on one line; empty while nothing is.
  [[nodiscard]] virtual const std::string& problem() const = 0;
};

/// At least 0, below 1.
using RandomPart = std::function<double()>;

/// Counts a failed answer by its kind, and says what is wrong with it, on one line.
[[nodiscard]] std::string describe_failure(const Answer& answer, SourceCounters& counters);

}  // namespace evictd::kube
