// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "evictd/result.h"
#include "stage/child.h"

namespace evictd::demo {

/// An evictd-web for the demonstration's evictd. It runs as the user nobody, who may read only the
/// control socket of that evictd. It ends with the object, and with this process.
class WebPage {
 public:
  struct Options {
    /// The evictd-web to run. The user nobody need not be able to reach its path.
    std::filesystem::path binary;
    /// The demonstration's directory with evictd's control socket. It becomes searchable for other
    /// users, and nobody's group may use that socket.
    std::filesystem::path directory;
    /// Port on 127.0.0.1; 0: any free one.
    int port = 0;
  };
  /// Returns once it listens. Errors: kNotFound without the program or setpriv; kIo, with its
  /// output, if it ends; kTimedOut.
  static Result<WebPage> start(const Options& options);

  /// "http://127.0.0.1:9879/".
  [[nodiscard]] const std::string& address() const { return address_; }
  [[nodiscard]] int port() const;

 private:
  WebPage(stage::Child child, std::string address)
      : child_(std::move(child)), address_(std::move(address)) {}

  stage::Child child_;
  std::string address_;
};

}  // namespace evictd::demo
