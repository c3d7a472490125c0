// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>

#include "cli/top/cells.h"
#include "cli/top/screen.h"
#include "cli/top/view.h"
#include "evictd/result.h"

namespace evictd::cli::top {

/// The terminal while evictctl has it for itself, by ncurses: the one place that knows it. The
/// terminal is as before once the object is destroyed. One object at a time, used by one thread.
class TerminalScreen {
 public:
  /// Takes the terminal that is stdin and stdout. LC_CTYPE was set from the environment before.
  /// Errors: kUnsupported if these are no terminal, or TERM is one without a movable cursor.
  static Result<TerminalScreen> create();

  TerminalScreen(TerminalScreen&&) noexcept = default;
  TerminalScreen& operator=(TerminalScreen&&) noexcept = default;
  TerminalScreen(const TerminalScreen&) = delete;
  TerminalScreen& operator=(const TerminalScreen&) = delete;
  ~TerminalScreen() = default;

  /// As the terminal has it now, after a change of its size too.
  [[nodiscard]] Size size();
  [[nodiscard]] Charset charset() const { return charset_; }
  /// Shows `screen`; only what differs from what is there is written.
  void draw(const Screen& screen);
  /// The next key that was pressed; unset if there is none.
  [[nodiscard]] std::optional<Key> next_key();

 private:
  struct Terminal;
  struct Restore {
    void operator()(Terminal* terminal) const;
  };
  explicit TerminalScreen(std::unique_ptr<Terminal, Restore> terminal, Charset charset)
      : terminal_(std::move(terminal)), charset_(charset) {}

  std::unique_ptr<Terminal, Restore> terminal_;
  Charset charset_;
};

}  // namespace evictd::cli::top
