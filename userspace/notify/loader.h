// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "evictd/result.h"
#include "probe/ladder.h"

struct bpf_link;
struct evictd_notify_bpf;

namespace evictd::notify {

/// What attachPins, doctor and status call the hooks of notifications.
inline constexpr std::string_view kPurpose = "notify";

/// What is lost where no row can be had: PollingBackend.
inline constexpr std::string_view kLostByPolling =
    "files are read every 0.1 s: what is crossed twice between two readings is not seen";

/// One way to notice that counters move; best first in attach_rows().
struct AttachRow {
  std::string_view name;
  std::string_view hook;
  /// All or none are loaded and attached; empty strings fill up.
  std::array<std::string_view, 3> programs;
  /// What is seen late or not at all with it; empty for the best one.
  std::string_view lost;
  /// Memory that is given back runs the hook too.
  bool sees_uncharge = false;
  /// Charges between two runs of the hook are looked for by the timer.
  bool needs_ticks = false;
};

[[nodiscard]] std::span<const AttachRow> attach_rows();

struct LoadOptions {
  std::uint32_t max_rows = 8192;
  /// Of all rows together; a row that changes has the old ones and the new ones for a moment.
  std::uint32_t max_edges = 131072;
  /// Bytes of the ring of records: a power of two.
  std::uint32_t ring_bytes = 512 * 1024;
  /// Name of the attach row to use, or "none" to fail at once. Empty: the first that works.
  std::string pin{};
};

struct SkeletonDeleter {
  void operator()(evictd_notify_bpf* skeleton) const;
};
struct LinkDeleter {
  void operator()(bpf_link* link) const;
};
using Skeleton = std::unique_ptr<evictd_notify_bpf, SkeletonDeleter>;
using Link = std::unique_ptr<bpf_link, LinkDeleter>;

/// What load() got: the report always, the rest unless `error` is set. Links go before the
/// skeleton.
struct Loaded {
  std::vector<probe::RowReport> rows;
  std::optional<Error> error;
  /// The kernel refused an object for want of privileges.
  bool is_forbidden = false;
  /// EMFILE, ENFILE or ENOMEM: what the row that was tried last wanted; else 0.
  int shortage = 0;
  const AttachRow* row = nullptr;
  Skeleton skeleton;
  std::vector<Link> links;
};

/// Loads and attaches the kernel side of notifications: the first row that works, each try one load
/// of the object. Nothing is pinned. kUnsupported with the last reason if none works,
/// kPermission where that is the lack of privileges, and with EMFILE, ENFILE or ENOMEM where
/// descriptors or memory lack.
[[nodiscard]] Loaded load(const LoadOptions& options);

}  // namespace evictd::notify
