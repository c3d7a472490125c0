// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace evictd::probe {

/// Collects what libbpf says on this thread while it exists, instead of letting it write to stderr.
/// libbpf has one print function for the whole process: it is put back at the end. Not nestable.
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
  void* previous_ = nullptr;
};

/// The program that a failed load stumbled over, from libbpf's words; empty if they name none.
[[nodiscard]] std::string failed_program(const std::string& log);

/// The last words that explain a failure: the verifier's last line, or the system's error, in one
/// line.
[[nodiscard]] std::string last_words(const std::string& log);

}  // namespace evictd::probe
