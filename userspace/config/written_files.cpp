// SPDX-License-Identifier: Apache-2.0
#include "config/written_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/regular_file.h"

namespace evictd::config {
namespace {

/// The absolute path without "." and "..", as text; links are not followed.
std::string absolute_text(const std::string& path) {
  std::error_code failed;
  const std::filesystem::path absolute = std::filesystem::absolute(path, failed);
  return (failed ? std::filesystem::path(path) : absolute).lexically_normal().string();
}

/// Whether `file` is one of the kubelet's drop-in files.
bool is_drop_in(const std::filesystem::path& file, const Sources& sources) {
  if (sources.kubelet_config_dir.empty() || file.extension() != ".conf") {
    return false;
  }
  const std::filesystem::path inside = absolute_text(sources.kubelet_config_dir + "/x");
  return file.parent_path() == inside.parent_path();
}

Failure is_taken(std::string_view option, const std::string& file, std::string_view owner) {
  return fail(Errc::kInvalid,
              fmt::format("{}: \"{}\": the file of {} is there; allowed: a path that no other "
                          "file of evictd has",
                          option, file, owner));
}

}  // namespace

std::vector<WrittenFile> written_files(const Settings& settings) {
  std::vector<WrittenFile> files;
  files.push_back({.key = "controlSocket", .path = settings.control_socket_path()});
  if (!settings.notify_socket.empty()) {
    files.push_back({.key = "notifySocket", .path = settings.notify_socket});
    // It listens under this name first; base::listen_unix_packets().
    files.push_back({.key = "notifySocket", .path = settings.notify_socket + ".new"});
  }
  const std::string state = settings.state_file_path();
  if (!state.empty()) {
    files.push_back({.key = "stateFile", .path = state});
    // Written first, then renamed over the old one.
    files.push_back({.key = "stateFile", .path = state + ".new"});
  }
  const RecordSettings& records = settings.records;
  if (!records.file.empty()) {
    files.push_back({.key = "recordFile", .path = records.file});
    for (int number = 1; number < records.files; ++number) {
      files.push_back({.key = "recordFile", .path = fmt::format("{}.{}", records.file, number)});
    }
  }
  return files;
}

Result<> check_recording_path(std::string_view option, const std::string& path,
                              const Settings& settings, const Sources& sources) {
  std::vector<WrittenFile> others = written_files(settings);
  others.push_back({.key = "--config", .path = sources.config_file});
  others.push_back({.key = "--kubelet-config", .path = sources.kubelet_config_file});
  const std::string file = absolute_text(path);
  for (const std::string& own : {file, file + ".1"}) {
    const auto other = std::ranges::find_if(others, [&](const WrittenFile& one) {
      return !one.path.empty() && absolute_text(one.path) == own;
    });
    if (other != others.end()) {
      return is_taken(option, own, other->key);
    }
    if (is_drop_in(own, sources)) {
      return is_taken(option, own, "--kubelet-config-dir");
    }
  }
  for (const std::string& own : {path, path + ".1"}) {
    if (base::is_no_regular_file(own)) {
      return fail(
          Errc::kInvalid,
          fmt::format("{}: \"{}\": not a regular file; allowed: a path where a regular file "
                      "is, or nothing yet",
                      option, own));
    }
  }
  return {};
}

}  // namespace evictd::config
