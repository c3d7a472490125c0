// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "evictd/result.h"

namespace evictd::web {

/// The token that a client has to show: the first line of a file, read anew for each question, so
/// that it can be changed while evictd-web runs.
class TokenFile {
 public:
  /// Without a path every client is let in.
  explicit TokenFile(std::string path) : path_(std::move(path)) {}

  /// Whether the file can be read and has a token of at least 16 characters.
  /// Errors: as open(2); kInvalid for one that is too short.
  [[nodiscard]] Result<> check() const;
  /// Whether the value of a header Authorization is "Bearer" with the token. False while the file
  /// cannot be read. Takes the same time for each wrong token of a length.
  [[nodiscard]] bool allows(std::string_view authorization) const;

 private:
  [[nodiscard]] Result<std::string> read() const;

  std::string path_;
};

}  // namespace evictd::web
