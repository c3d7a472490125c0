// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "base/fd.h"
#include "evictd/result.h"

namespace evictd::churn {

/// Reads evictd's record file as it grows, over its rotations. To be asked more often than two
/// rotations take, else lines are missed. One thread uses it.
class RecordTail {
 public:
  explicit RecordTail(std::filesystem::path file) : file_(std::move(file)) {}

  /// Gives `take` each whole line that was added since the last call, without its end.
  /// A file that is not there yet has none. Errors: as open(2) and read(2).
  Result<> read(const std::function<void(std::string_view)>& take);

 private:
  Result<> read_open_file(const std::function<void(std::string_view)>& take);
  /// Whether the name stands for another file by now.
  [[nodiscard]] bool was_rotated() const;

  std::filesystem::path file_;
  base::Fd fd_;
  /// The beginning of a line whose end is not written yet.
  std::string rest_;
};

}  // namespace evictd::churn
