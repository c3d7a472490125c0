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
  /// One registration each, in the words of cgroup.event_control.
  std::vector<std::string> arguments;
  /// In place of what the name of `path` says.
  std::optional<evictd_notify_signal> signal;
  evictd_notify_direction direction = EVICTD_NOTIFY_BOTH;
  /// An amount, or a percentage of the limit where the argument is one; empty for none.
  std::string hysteresis;
  std::string socket;
  /// Lines after which to end; 0 for none.
  std::uint64_t count = 0;
};

/// Prints a line whenever a cgroup crosses a threshold, as the kernel's cgroup_event_listener.
class Listener {
 public:
  /// Registers everything. Errors: kInvalid for arguments that cannot be; else what evictd says.
  [[nodiscard]] static Result<Listener> create(const ListenOptions& options);

  /// Prints until the cgroup is removed, which is said too, until `count` lines are out, or until
  /// nothing is listened to any more: the controller was taken away, or evictd has refused
  /// everything after its restart.
  /// Errors: kIo if stdout takes no more; what evictd has refused something for.
  [[nodiscard]] Result<> run();

 private:
  struct Registration {
    std::string argument;
    /// Empty once nothing comes of it any more.
    base::Fd eventfd;
    std::uint64_t id = 0;
  };
  struct Close {
    void operator()(evictd_notify* handle) const { evictd_notify_close(handle); }
  };

  Listener() = default;

  [[nodiscard]] Result<> add(const std::string& argument, evictd_notify_signal signal);
  [[nodiscard]] bool is_removed() const;
  /// Says on stderr when evictd was gone in the meantime.
  void warn_of_gap();
  /// Why nothing more comes of it, an errno value; 0 if something may.
  [[nodiscard]] int end_of(const Registration& registration) const;
  /// Says so. False to end, because nothing is left.
  [[nodiscard]] Result<bool> give_up(Registration& registration, int error);
  /// Takes what one eventfd counted; nothing if it counted nothing. False to end.
  [[nodiscard]] Result<bool> take(Registration& registration);

  ListenOptions options_;
  /// What stands before the argument in a line.
  std::string name_;
  base::Fd cgroup_;
  std::unique_ptr<evictd_notify, Close> handle_;
  std::vector<Registration> registrations_;
  /// What evictd has refused last.
  std::optional<Error> refusal_;
  std::uint32_t gaps_ = 0;
  std::uint64_t printed_ = 0;
};

}  // namespace evictd::cli
