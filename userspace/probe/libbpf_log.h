// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace evictd::probe {

/// Collects libbpf's messages of this thread during its lifetime, and keeps them from stderr. A
/// nested log replaces the outer one for its lifetime. Destroy it in the thread that created it.
///
/// libbpf has one print function per process. While any thread has a log, evictd's function is
/// installed, and passes messages of other threads to the previous one. Then the previous function
/// is restored, unless another one was set meanwhile: that one stays and gets the messages.
class LibbpfLog {
 public:
  LibbpfLog();
  ~LibbpfLog();
  LibbpfLog(const LibbpfLog&) = delete;
  LibbpfLog& operator=(const LibbpfLog&) = delete;

  /// All messages so far.
  [[nodiscard]] const std::string& text() const { return text_; }
  void clear() { text_.clear(); }

 private:
  std::string text_;
  /// Text of the outer log, if any.
  std::string* outer_;
};

/// The program that made a load fail, from libbpf's messages; empty if they name none.
[[nodiscard]] std::string failed_program(const std::string& log);

/// The last message that explains a failure: the verifier's last line, or the system's error, in
/// one line.
[[nodiscard]] std::string last_words(const std::string& log);

}  // namespace evictd::probe
