// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/fd.h"
#include "evictd/notify.h"
#include "evictd/result.h"

namespace evictd::cli {

struct ListenOptions {
  /// A control file or a cgroup's directory.
  std::string path;
  /// One registration each, in the syntax of cgroup.event_control.
  std::vector<std::string> arguments;
  /// Overrides the signal that the name of `path` implies.
  std::optional<evictd_notify_signal> signal;
  evictd_notify_direction direction = EVICTD_NOTIFY_BOTH;
  /// A quantity, or a percentage of the limit if the argument is one; empty for none.
  std::string hysteresis;
  std::string socket;
  /// Number of lines after which to end; 0 for no limit.
  std::uint64_t count = 0;
};

/// Prints a line whenever a cgroup crosses a threshold, like the kernel's cgroup_event_listener.
class Listener {
 public:
  /// Registers everything. Errors: kInvalid for invalid arguments; else evictd's error.
  [[nodiscard]] static Result<Listener> create(const ListenOptions& options);

  /// Prints until the cgroup is removed (which it reports), until `count` lines are printed, or
  /// until no registration is left: the controller was disabled, or evictd refused all
  /// registrations after its restart.
  /// Errors: kIo if stdout cannot be written; evictd's reason for a refusal.
  [[nodiscard]] Result<> run();

 private:
  struct Registration {
    std::string argument;
    /// Empty once this registration has ended.
    base::Fd eventfd;
    std::uint64_t id = 0;
  };
  struct Close {
    void operator()(evictd_notify* handle) const { evictd_notify_close(handle); }
  };

  Listener() = default;

  [[nodiscard]] Result<> add(const std::string& argument, evictd_notify_signal signal);
  [[nodiscard]] bool is_removed() const;
  /// Warns on stderr if evictd was gone in the meantime.
  void warn_of_gap();
  /// The errno why this registration has ended; 0 if it is still active.
  [[nodiscard]] int end_of(const Registration& registration) const;
  /// Reports the end of a registration. Returns false if none is left.
  [[nodiscard]] Result<bool> give_up(Registration& registration, int error);
  /// Reads the counter of one eventfd and prints it unless it is 0. Returns false to stop.
  [[nodiscard]] Result<bool> take(Registration& registration);

  ListenOptions options_;
  /// The text before the argument in each line.
  std::string name_;
  base::Fd cgroup_;
  std::unique_ptr<evictd_notify, Close> handle_;
  std::vector<Registration> registrations_;
  /// evictd's most recent refusal.
  std::optional<Error> refusal_;
  std::uint32_t gaps_ = 0;
  std::uint64_t printed_ = 0;
};

}  // namespace evictd::cli
