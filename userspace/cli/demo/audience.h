// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <utility>

#include "demo/demo.h"
#include "demo/play.h"
#include "demo/web_page.h"
#include "evictd/result.h"
#include "stage/child.h"

namespace evictd::demo {

/// Lets users watch the demonstration on the web page, through all its attempts. Without --web
/// there is no page, and nothing here waits. One thread uses it.
class Audience {
 public:
  /// `signals` is a signalfd whose signals end each wait; borrowed, and not read.
  Audience(DemoOptions options, Narrator say, int signals)
      : options_(std::move(options)), say_(std::move(say)), signals_(signals) {}

  /// Serves the page for the evictd of this directory, always at the same address. Before the first
  /// attempt it prints the address, opens it, and waits for Enter. Errors: as WebPage::start().
  Result<> open_page(const std::filesystem::path& directory);
  /// Waits for Enter, or for a signal.
  void keep_page_open();
  [[nodiscard]] int signals() const { return signals_; }

 private:
  void announce_page();
  /// Also returns at the end of stdin.
  void await_enter() const;

  DemoOptions options_;
  Narrator say_;
  int signals_;
  /// The first attempt's port, used again by later attempts.
  int port_ = 0;
  std::optional<WebPage> page_;
  std::optional<stage::Child> browser_;
};

}  // namespace evictd::demo
