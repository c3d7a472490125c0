// SPDX-License-Identifier: Apache-2.0
#include "config/config.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/fd.h"
#include "config/validator.h"
#include "config/yaml_tree.h"

namespace evictd::config {
namespace {

/// Reads at most one byte more than `limit`, so that a file that grows meanwhile, or is a device
/// without an end, is still found to be too long.
Result<std::string> read_bounded(const std::filesystem::path& path, std::size_t limit) {
  // O_NONBLOCK: a FIFO in place of the file must not hold up a reload.
  const base::Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd) {
    return fail_errno(errno, fmt::format("open {}", path.string()));
  }
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) {
    return fail_errno(errno, fmt::format("stat {}", path.string()));
  }
  if (!S_ISREG(status.st_mode)) {
    return fail(Errc::kInvalid, fmt::format("{}: no regular file; allowed: a file", path.string()));
  }
  std::string text(limit + 1, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const ssize_t got = ::read(fd.get(), text.data() + size, text.size() - size);
    if (got == 0) {
      break;
    }
    if (got < 0 && errno != EINTR) {
      return fail_errno(errno, fmt::format("read {}", path.string()));
    }
    size += got > 0 ? static_cast<std::size_t>(got) : 0;
  }
  text.resize(size);
  return text;
}

}  // namespace

std::string Settings::state_file_path() const {
  if (state_file == "none") {
    return {};
  }
  return state_file.empty() ? runtime_directory + "/state" : state_file;
}

std::string Settings::control_socket_path() const {
  return control_socket.empty() ? runtime_directory + "/control.sock" : control_socket;
}

std::string to_string(const Origin& origin) {
  switch (origin.kind) {
    case Origin::Kind::kDefault:
      return "default";
    case Origin::Kind::kCompat:
      return fmt::format("default of compatibility {}", origin.source);
    case Origin::Kind::kFile:
      return fmt::format("{}:{}", origin.source, origin.line);
    case Origin::Kind::kFlag:
      return fmt::format("flag {}", origin.source);
  }
  return "unknown";
}

Config Config::defaults() {
  // An empty file cannot be wrong.
  return parse("", "defaults").value();
}

Origin Config::origin(std::string_view key) const {
  const auto found = origins_.find(key);
  return found == origins_.end() ? Origin{} : found->second;
}

Result<Config> load_file(const std::filesystem::path& path, const Vocabulary& vocabulary) {
  const Result<std::string> text = read_bounded(path, YamlLimits{}.bytes);
  if (!text) {
    return tl::unexpected(text.error());
  }
  return parse(*text, path.string(), vocabulary);
}

Result<Config> parse(std::string_view text, std::string_view filename,
                     const Vocabulary& vocabulary) {
  const Result<YamlNode> root = parse_yaml(text, filename);
  if (!root) {
    return tl::unexpected(root.error());
  }
  return Validator(filename, vocabulary).run(*root);
}

}  // namespace evictd::config
