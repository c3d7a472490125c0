// SPDX-License-Identifier: Apache-2.0
#include "demo/browser.h"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>

namespace evictd::demo {
namespace {

std::string_view environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

std::filesystem::path find_program(std::string_view name) {
  std::string_view rest = environment("PATH");
  while (!rest.empty()) {
    const std::string_view directory = rest.substr(0, rest.find(':'));
    rest.remove_prefix(std::min(rest.size(), directory.size() + 1));
    std::filesystem::path program = std::filesystem::path(directory) / name;
    if (!directory.empty() && ::access(program.c_str(), X_OK) == 0) {
      return program;
    }
  }
  return {};
}

std::optional<Person> find_person() {
  const std::string_view text = environment("SUDO_UID");
  uid_t uid = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), uid);
  if (text.empty() || read.ec != std::errc() || uid == 0) {
    return std::nullopt;
  }
  const passwd* const found = ::getpwuid(uid);
  if (found == nullptr) {
    return std::nullopt;
  }
  return Person{.uid = found->pw_uid, .gid = found->pw_gid, .home = found->pw_dir};
}

}  // namespace

Desktop find_desktop() {
  return {.has_display = !environment("DISPLAY").empty() || !environment("WAYLAND_DISPLAY").empty(),
          .xdg_open = find_program("xdg-open"),
          .person = find_person()};
}

std::optional<std::vector<std::string>> opener_of(const Desktop& desktop,
                                                  const std::string& address) {
  if (!desktop.has_display || desktop.xdg_open.empty()) {
    return std::nullopt;
  }
  // In its own session, so that the Ctrl-C that ends the demonstration does not reach the browser.
  std::vector<std::string> command = {"/usr/bin/setsid", "--fork"};
  if (desktop.person) {
    const std::string uid = std::to_string(desktop.person->uid);
    command.insert(
        command.end(),
        {"/usr/bin/setpriv", "--reuid=" + uid, "--regid=" + std::to_string(desktop.person->gid),
         "--init-groups", "/usr/bin/env", "HOME=" + desktop.person->home.string(),
         "XDG_RUNTIME_DIR=/run/user/" + uid});
  }
  command.push_back(desktop.xdg_open.string());
  command.push_back(address);
  return command;
}

}  // namespace evictd::demo
