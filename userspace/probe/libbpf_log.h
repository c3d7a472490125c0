// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace evictd::probe {

/// Collects what libbpf says on this thread while it exists, instead of letting it write to stderr;
/// one within another takes its place for so long. Ends in the thread in which it began.
///
/// libbpf has one print function for the whole process. As long as any thread has a log ours is in
/// its place, which passes on what libbpf says on other threads; then the one before is put back,
/// unless somebody has set another one meanwhile: that one stays, and hears what it is set for.
class LibbpfLog {
 public:
  LibbpfLog();
  ~LibbpfLog();
  LibbpfLog(const LibbpfLog&) = delete;
  LibbpfLog& operator=(const LibbpfLog&) = delete;

  /// Everything said so far.
  [[nodiscard]] const std::string& text() const { return text_; }
  void clear() { text_.clear(); }

 private:
  std::string text_;
  /// That of the log around this one, if there is one.
  std::string* outer_;
};

/// The program that a failed load stumbled over, from libbpf's words; empty if they name none.
[[nodiscard]] std::string failed_program(const std::string& log);

/// The last words that explain a failure: the verifier's last line, or the system's error, in one
/// line.
[[nodiscard]] std::string last_words(const std::string& log);

}  // namespace evictd::probe
