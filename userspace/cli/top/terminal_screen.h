// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>

#include "cli/top/cells.h"
#include "cli/top/screen.h"
#include "cli/top/view.h"
#include "evictd/result.h"

namespace evictd::cli::top {

/// Exclusive use of the terminal through ncurses; the only code that uses ncurses. The destructor
/// restores the terminal. One object at a time, used by one thread.
class TerminalScreen {
 public:
  /// Uses the terminal of stdin and stdout. LC_CTYPE must be set from the environment before.
  /// Errors: kUnsupported if they are no terminal, or TERM has no movable cursor.
  static Result<TerminalScreen> create();

  TerminalScreen(TerminalScreen&&) noexcept = default;
  TerminalScreen& operator=(TerminalScreen&&) noexcept = default;
  TerminalScreen(const TerminalScreen&) = delete;
  TerminalScreen& operator=(const TerminalScreen&) = delete;
  ~TerminalScreen() = default;

  /// The current size of the terminal, also after a resize.
  [[nodiscard]] Size size();
  [[nodiscard]] Charset charset() const { return charset_; }
  /// Shows `screen`; writes only what changed.
  void draw(const Screen& screen);
  /// The next key pressed; nullopt if there is none.
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
