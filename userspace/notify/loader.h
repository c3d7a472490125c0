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

/// The name of the notification hooks in attachPins, doctor and status.
inline constexpr std::string_view kPurpose = "notify";

/// What is lost if no row can be attached: PollingBackend.
inline constexpr std::string_view kLostByPolling =
    "files are read every 0.1 s: what is crossed twice between two readings is not seen";

/// One way to detect moving counters; attach_rows() has the best first.
struct AttachRow {
  std::string_view name;
  std::string_view hook;
  /// Loaded and attached all or none; empty strings are padding.
  std::array<std::string_view, 3> programs;
  /// What this row detects late or not at all; empty for the best one.
  std::string_view lost;
  /// Uncharging memory triggers the hook too.
  bool sees_uncharge = false;
  /// A timer looks for charges between two runs of the hook.
  bool needs_ticks = false;
};

[[nodiscard]] std::span<const AttachRow> attach_rows();

struct LoadOptions {
  std::uint32_t max_rows = 8192;
  /// Of all rows together. A row that changes needs its old and its new edges for a moment.
  std::uint32_t max_edges = 131072;
  /// Bytes of the ring of records: a power of two.
  std::uint32_t ring_bytes = 512 * 1024;
  /// The attach row to use, or "none" to fail at once. Empty: the first that works.
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

/// The result of load(): always the report, and the rest unless `error` is set. Destroy the links
/// before the skeleton.
struct Loaded {
  std::vector<probe::RowReport> rows;
  std::optional<Error> error;
  /// The kernel refused an object for lack of privileges.
  bool is_forbidden = false;
  /// EMFILE, ENFILE or ENOMEM if the row tried last failed with it; else 0.
  int shortage = 0;
  const AttachRow* row = nullptr;
  Skeleton skeleton;
  std::vector<Link> links;
};

/// Loads and attaches the kernel side of notifications: the first row that works. Each try loads
/// the object once. Pins nothing. Errors: kUnsupported with the last reason if no row works;
/// kPermission if privileges are missing; with EMFILE, ENFILE or ENOMEM if descriptors or memory
/// are missing.
[[nodiscard]] Loaded load(const LoadOptions& options);

}  // namespace evictd::notify
