// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "evictd/result.h"

namespace evictd::web {

/// The token that a client must present: the first line of a file. The file is read again for each
/// request, so that the token can change while evictd-web runs.
class TokenFile {
 public:
  /// An empty path admits every client.
  explicit TokenFile(std::string path) : path_(std::move(path)) {}

  /// Whether the file is readable and has a token of at least 16 characters.
  /// Errors: as open(2); kInvalid if the token is too short.
  [[nodiscard]] Result<> check() const;
  /// Whether an Authorization header's value is "Bearer" with the token. False while the file
  /// cannot be read. Takes the same time for each wrong token of the same length.
  [[nodiscard]] bool allows(std::string_view authorization) const;

 private:
  [[nodiscard]] Result<std::string> read() const;

  std::string path_;
};

}  // namespace evictd::web
