// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "evictd/result.h"
#include "stage/child.h"

namespace evictd::demo {

/// evictd-web beside the evictd of a demonstration, as the user nobody, who may read that evictd's
/// control socket and nothing else of it. Ends with the object, and with this process.
class WebPage {
 public:
  struct Options {
    /// The evictd-web to run. Nobody need not reach it by its path.
    std::filesystem::path binary;
    /// The demonstration's own: evictd's control socket is in it. Others may go through it from
    /// then on, and nobody's group may use that socket.
    std::filesystem::path directory;
    /// Of 127.0.0.1; 0: any that is free.
    int port = 0;
  };
  /// Returns once it listens. Errors: kNotFound without the program or setpriv; kIo if it ends,
  /// with what it said; kTimedOut.
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
