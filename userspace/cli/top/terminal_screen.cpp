// SPDX-License-Identifier: Apache-2.0
#include "cli/top/terminal_screen.h"

// curses.h defines function names as macros unless disabled.
#define NCURSES_NOMACROS 1
#include <curses.h>
#include <langinfo.h>
#include <sys/ioctl.h>
#include <term.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cwchar>
#include <string>
#include <string_view>
#include <utility>

namespace evictd::cli::top {

struct TerminalScreen::Terminal {
  SCREEN* screen;
};

namespace {

/// A key's escape sequence arrives at once; after this time an escape is the Escape key.
constexpr int kEscapeDelayMs = 25;

enum ColourPair : short { kGreen = 1, kYellow, kRed, kCyan, kWhiteOnRed };

void start_colours() {
  if (!::has_colors()) {
    return;
  }
  ::start_color();
  const short background = ::use_default_colors() == OK ? -1 : COLOR_BLACK;
  ::init_pair(kGreen, COLOR_GREEN, background);
  ::init_pair(kYellow, COLOR_YELLOW, background);
  ::init_pair(kRed, COLOR_RED, background);
  ::init_pair(kCyan, COLOR_CYAN, background);
  ::init_pair(kWhiteOnRed, COLOR_WHITE, COLOR_RED);
}

/// Styles with colours and, for terminals without them, without.
attr_t attributes_of(Style style) {
  const bool colours = ::has_colors();
  const auto pair = [&](ColourPair which, attr_t without) {
    return colours ? static_cast<attr_t>(COLOR_PAIR(which)) : without;
  };
  switch (style) {
    case Style::kPlain:
      return A_NORMAL;
    case Style::kBold:
      return A_BOLD;
    case Style::kDim:
      return A_DIM;
    case Style::kTitle:
      return A_REVERSE;
    case Style::kHeading:
      return pair(kCyan, A_NORMAL) | A_BOLD;
    case Style::kGood:
      return pair(kGreen, A_NORMAL);
    case Style::kWarning:
      return pair(kYellow, A_BOLD);
    case Style::kBad:
      return pair(kRed, A_UNDERLINE) | A_BOLD;
    case Style::kBadBar:
      return pair(kWhiteOnRed, A_REVERSE) | A_BOLD;
  }
  return A_NORMAL;
}

/// In the locale's encoding, which the screen's texts have.
std::wstring wide(const std::string& text) {
  std::wstring characters(text.size(), L'\0');
  const std::size_t count = std::mbstowcs(characters.data(), text.c_str(), characters.size());
  characters.resize(count == static_cast<std::size_t>(-1) ? 0 : count);
  return characters;
}

void draw_row(int line, const Row& row) {
  ::move(line, 0);
  for (const Span& span : row.spans) {
    // Colours on a reversed line are hard to read.
    ::attrset(static_cast<int>(row.selected ? A_REVERSE : attributes_of(span.style)));
    ::addwstr(wide(span.text).c_str());
  }
  if (row.selected) {
    ::hline(static_cast<chtype>(' ') | A_REVERSE, COLS);
  }
  ::attrset(A_NORMAL);
}

std::optional<Key::Name> name_of_key(wint_t code) {
  switch (code) {
    case KEY_UP:
      return Key::Name::kUp;
    case KEY_DOWN:
      return Key::Name::kDown;
    case KEY_PPAGE:
      return Key::Name::kPageUp;
    case KEY_NPAGE:
      return Key::Name::kPageDown;
    case KEY_HOME:
      return Key::Name::kHome;
    case KEY_END:
      return Key::Name::kEnd;
    case KEY_ENTER:
      return Key::Name::kEnter;
    case KEY_BACKSPACE:
      return Key::Name::kBackspace;
    default:  // Keys that do nothing here.
      return std::nullopt;
  }
}

/// The key of a typed character; unset for a control character without a meaning.
std::optional<Key> typed(wint_t code) {
  constexpr wint_t kEscape = 0x1b;
  constexpr wint_t kDelete = 0x7f;
  if (code == '\n' || code == '\r') {
    return Key{.name = Key::Name::kEnter};
  }
  if (code == kEscape) {
    return Key{.name = Key::Name::kEscape};
  }
  if (code == kDelete || code == '\b') {
    return Key{.name = Key::Name::kBackspace};
  }
  if (code < ' ') {
    return std::nullopt;
  }
  std::string bytes(MB_CUR_MAX, '\0');
  std::mbstate_t state{};
  const std::size_t length = std::wcrtomb(bytes.data(), static_cast<wchar_t>(code), &state);
  bytes.resize(length == static_cast<std::size_t>(-1) ? 0 : length);
  return bytes.empty() ? std::nullopt
                       : std::optional(Key{.name = Key::Name::kCharacter, .character = bytes});
}

}  // namespace

void TerminalScreen::Restore::operator()(Terminal* terminal) const {
  ::endwin();
  ::delscreen(terminal->screen);
  delete terminal;
}

Result<TerminalScreen> TerminalScreen::create() {
  if (::isatty(STDIN_FILENO) == 0 || ::isatty(STDOUT_FILENO) == 0) {
    return fail(Errc::kUnsupported,
                "stdin and stdout must be a terminal; evictctl status --json is for programs");
  }
  const char* const term = std::getenv("TERM");
  const std::string named = term == nullptr ? "" : term;
  SCREEN* const screen = ::newterm(nullptr, stdout, stdin);
  if (screen == nullptr) {
    return fail(Errc::kUnsupported, "TERM=" + named + ": there is no description of this terminal");
  }
  std::unique_ptr<Terminal, Restore> terminal(new Terminal{screen});
  if (cursor_address == nullptr || clear_screen == nullptr) {
    return fail(Errc::kUnsupported,
                "TERM=" + named + ": the cursor of this terminal cannot be moved");
  }
  ::cbreak();
  ::noecho();
  ::curs_set(0);
  ::keypad(stdscr, TRUE);
  ::nodelay(stdscr, TRUE);
  ::set_escdelay(kEscapeDelayMs);
  start_colours();
  const bool utf8 = std::string_view(::nl_langinfo(CODESET)) == "UTF-8";
  return TerminalScreen(std::move(terminal), utf8 ? Charset::kUtf8 : Charset::kAscii);
}

Size TerminalScreen::size() {
  winsize now{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &now) == 0 && now.ws_row > 0 && now.ws_col > 0 &&
      (now.ws_row != LINES || now.ws_col != COLS)) {
    ::resizeterm(now.ws_row, now.ws_col);
  }
  return {static_cast<std::size_t>(COLS), static_cast<std::size_t>(LINES)};
}

void TerminalScreen::draw(const Screen& screen) {
  ::erase();
  for (std::size_t line = 0; line < screen.size(); ++line) {
    draw_row(static_cast<int>(line), screen[line]);
  }
  ::refresh();
}

std::optional<Key> TerminalScreen::next_key() {
  while (true) {
    wint_t code = 0;
    const int kind = ::get_wch(&code);
    if (kind == ERR) {
      return std::nullopt;
    }
    if (kind != KEY_CODE_YES) {
      if (std::optional<Key> key = typed(code)) {
        return key;
      }
    } else if (const std::optional<Key::Name> name = name_of_key(code)) {
      return Key{.name = *name};
    }
  }
}

}  // namespace evictd::cli::top
