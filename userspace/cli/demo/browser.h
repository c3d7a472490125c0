// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace evictd::demo {

/// The user whose desktop it is.
struct Person {
  uid_t uid = 0;
  gid_t gid = 0;
  std::filesystem::path home{};
};

/// The means to show a page to a user.
struct Desktop {
  bool has_display = false;
  /// Empty: not installed.
  std::filesystem::path xdg_open{};
  /// The user who became root by sudo; unset without sudo.
  std::optional<Person> person{};
};

/// Source: DISPLAY, WAYLAND_DISPLAY, PATH and SUDO_UID of the environment.
[[nodiscard]] Desktop find_desktop();

/// The command that opens `address` there, in the user's own browser; unset if there is none.
[[nodiscard]] std::optional<std::vector<std::string>> opener_of(const Desktop& desktop,
                                                                const std::string& address);

}  // namespace evictd::demo
