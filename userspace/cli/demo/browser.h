// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace evictd::demo {

/// Whose screen it is.
struct Person {
  uid_t uid = 0;
  gid_t gid = 0;
  std::filesystem::path home{};
};

/// Where a page can be shown to somebody.
struct Desktop {
  bool has_display = false;
  /// Empty: not installed.
  std::filesystem::path xdg_open{};
  /// Who became root by sudo; unset if nobody did.
  std::optional<Person> person{};
};

/// Source: DISPLAY, WAYLAND_DISPLAY, PATH and SUDO_UID of the environment.
[[nodiscard]] Desktop find_desktop();

/// What opens `address` there, in a browser of the person's own; unset where nothing does.
[[nodiscard]] std::optional<std::vector<std::string>> opener_of(const Desktop& desktop,
                                                                const std::string& address);

}  // namespace evictd::demo
