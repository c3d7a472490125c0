// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "evictd/result.h"

namespace evictd::base {

/// One request to evictd's control socket, and the lines of its answer as they arrive. Never waits.
class LineConnection {
 public:
  /// Errors: as connect_unix() and send(2).
  static Result<LineConnection> ask(const std::string& socket, const std::string& request);

  /// The complete lines that arrived since the last call, without line ends; none if there is
  /// nothing to read. Errors: kNotFound once evictd has closed the connection and all lines were
  /// returned; kExhausted if a line is too long; else as recv(2).
  [[nodiscard]] Result<std::vector<std::string>> take();
  /// Readable when take() has something to return.
  [[nodiscard]] int fd() const { return fd_.get(); }

 private:
  explicit LineConnection(Fd fd) : fd_(std::move(fd)) {}
  [[nodiscard]] std::vector<std::string> whole_lines();

  Fd fd_;
  std::string unread_{};
};

}  // namespace evictd::base
