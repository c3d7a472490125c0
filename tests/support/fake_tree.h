// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "support/temporary_directory.h"

namespace evictd::test {

/// A temporary directory that replaces "/"; a test fills it, and the destructor removes it.
class FakeTree {
 public:
  /// Writes `text` to the file `path` (absolute in the fake tree) and creates its directories.
  void write(std::string_view path, std::string_view text) const {
    const std::filesystem::path file = real(path);
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary | std::ios::trunc) << text;
  }
  void make_directory(std::string_view path) const {
    std::filesystem::create_directories(real(path));
  }
  void remove(std::string_view path) const { std::filesystem::remove_all(real(path)); }
  void rename(std::string_view from, std::string_view to) const {
    std::filesystem::rename(real(from), real(to));
  }
  void link(std::string_view path, std::string_view target) const {
    std::filesystem::create_symlink(std::string(target), real(path));
  }

  /// The real location of a path in the fake tree.
  [[nodiscard]] std::filesystem::path real(std::string_view path) const {
    return directory_.path() / std::filesystem::path(path).relative_path();
  }
  [[nodiscard]] std::string path() const { return directory_.path().string(); }

 private:
  TemporaryDirectory directory_;
};

}  // namespace evictd::test
