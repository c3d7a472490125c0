// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "evictd/bytes.h"
#include "evictd/notify.h"
#include "evictd/result.h"
#include "harness/private_ground.h"
#include "stage/daemon_process.h"

namespace evictd::bench {

/// The notifier that signals an eventfd: `evictd --notify-only`, the library in this process, or
/// the kernel itself (cgroup.event_control of cgroup v1).
enum class Notifier { kService, kInProcess, kKernel };

[[nodiscard]] std::string_view name_of(Notifier notifier);

/// While it lives, this thread and the threads that it starts are SCHED_FIFO.
class RealtimeScope {
 public:
  /// Errors: those of sched_setscheduler(2). Does nothing if not `wanted`.
  [[nodiscard]] static Result<RealtimeScope> enter(bool wanted);
  RealtimeScope(const RealtimeScope&) = delete;
  RealtimeScope& operator=(const RealtimeScope&) = delete;
  RealtimeScope(RealtimeScope&& other) noexcept;
  RealtimeScope& operator=(RealtimeScope&&) = delete;
  ~RealtimeScope();

 private:
  explicit RealtimeScope(bool active) : active_(active) {}
  bool active_;
};

/// Lets one notifier signal eventfds when the usage of cgroups crosses thresholds. Registrations
/// end with the object. One thread uses it.
class Listening {
 public:
  /// Starts what the notifier needs. kService: evictd from `programs`, with a socket in the scratch
  /// directory. kInProcess: the library's thread, at real-time priority if `realtime`.
  /// Errors: those of starting it; kUnsupported if evictd would read files instead of using hooks.
  static Result<Listening> start(Notifier notifier, const PrivateGround& ground,
                                 const std::filesystem::path& programs, bool realtime);

  /// `directory` is the cgroup's directory in the memory hierarchy. Returns the id for remove().
  /// Errors: those of the library, or of writing cgroup.event_control.
  Result<std::uint64_t> add(const std::filesystem::path& directory, Bytes threshold, int eventfd);
  /// Not for kKernel, where closing the eventfd removes it. Errors: those of the library.
  Result<> remove(std::uint64_t id);
  /// The process that keeps the registrations; nullopt for kKernel.
  [[nodiscard]] std::optional<pid_t> keeper() const;

 private:
  struct Close {
    void operator()(evictd_notify* handle) const { evictd_notify_close(handle); }
  };

  explicit Listening(std::string usage_file) : usage_file_(std::move(usage_file)) {}
  Result<> open(const char* socket, unsigned int flags);

  std::string usage_file_;
  std::optional<stage::DaemonProcess> service_;
  /// Null for kKernel.
  std::unique_ptr<evictd_notify, Close> handle_;
};

/// A number of thresholds of one cgroup: the lowest is `first`, the next ones are `step` apart.
struct Ladder {
  std::filesystem::path directory;
  Bytes first;
  Bytes step = Bytes{64 * 1024};
  int count = 0;
};

/// Registers an eventfd for each of the ladder's thresholds. Errors: as Listening::add(), and of
/// eventfd(2).
[[nodiscard]] Result<> listen_to(Listening& listening, const Ladder& ladder,
                                 std::vector<base::Fd>& eventfds);

/// Raises this process's descriptor limit to its maximum.
void raise_descriptor_limit();

}  // namespace evictd::bench
