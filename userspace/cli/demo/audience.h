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

/// Whoever watches the demonstration on the page, through all its attempts. Without --web nobody
/// does, and nothing here waits. One thread uses it.
class Audience {
 public:
  /// `signals` is a signalfd whose signals end each wait; borrowed, and not read.
  Audience(DemoOptions options, Narrator say, int signals)
      : options_(std::move(options)), say_(std::move(say)), signals_(signals) {}

  /// Serves the page on the evictd of this directory, always at one address; before the first
  /// attempt says where, opens it, and waits for Enter. Errors: as WebPage::start().
  Result<> take_seats(const std::filesystem::path& directory);
  /// Waits for Enter, or for a signal.
  void stay_seated();
  [[nodiscard]] int signals() const { return signals_; }

 private:
  void show_the_way();
  /// Returns at the end of stdin too.
  void await_enter() const;

  DemoOptions options_;
  Narrator say_;
  int signals_;
  /// Of the first attempt, for the others.
  int port_ = 0;
  std::optional<WebPage> page_;
  std::optional<stage::Child> browser_;
};

}  // namespace evictd::demo
