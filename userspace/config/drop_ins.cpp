// SPDX-License-Identifier: Apache-2.0
#include "config/drop_ins.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <system_error>
#include <utility>

#include "evictd/try.h"

namespace evictd::config {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxEntries = 1000;
constexpr std::size_t kMaxDepth = 16;

class Walk {
 public:
  [[nodiscard]] std::vector<fs::path> take() { return std::move(files_); }

  Result<> visit(const fs::path& directory, std::size_t depth) {
    if (depth > kMaxDepth) {
      return fail(Errc::kExhausted, fmt::format("{}: nested too deep; allowed: {} levels",
                                                directory.string(), kMaxDepth));
    }
    EVICTD_ASSIGN_OR_RETURN(std::vector<fs::directory_entry> entries, entries_of(directory));
    for (const fs::directory_entry& entry : entries) {
      EVICTD_TRY(add(entry, depth));
    }
    return {};
  }

 private:
  Result<std::vector<fs::directory_entry>> entries_of(const fs::path& directory) {
    std::error_code error;
    std::vector<fs::directory_entry> entries;
    for (fs::directory_iterator next(directory, error), end; !error && next != end;
         next.increment(error)) {
      entries.push_back(*next);
      if (++seen_ > kMaxEntries) {
        return fail(Errc::kExhausted, fmt::format("{}: too many files; allowed: {}",
                                                  directory.string(), kMaxEntries));
      }
    }
    if (error) {
      return fail_errno(error.value(), fmt::format("read directory {}", directory.string()));
    }
    std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
      return a.path().filename().native() < b.path().filename().native();
    });
    return entries;
  }

  Result<> add(const fs::directory_entry& entry, std::size_t depth) {
    std::error_code ignored;
    if (entry.symlink_status(ignored).type() == fs::file_type::directory) {
      return visit(entry.path(), depth + 1);
    }
    if (entry.path().filename().native().ends_with(".conf")) {
      files_.push_back(entry.path());
    }
    return {};
  }

  std::vector<fs::path> files_;
  std::size_t seen_ = 0;
};

}  // namespace

Result<std::vector<fs::path>> drop_in_files(const fs::path& directory) {
  Walk walk;
  EVICTD_TRY(walk.visit(directory, 1));
  return walk.take();
}

}  // namespace evictd::config
