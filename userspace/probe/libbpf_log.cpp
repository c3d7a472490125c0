// SPDX-License-Identifier: Apache-2.0
#include "probe/libbpf_log.h"

#include <bpf/libbpf.h>

#include <array>
#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <mutex>
#include <new>
#include <sstream>
#include <string_view>
#include <utility>

namespace evictd::probe {
namespace {

// libbpf's callback carries no context.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
thread_local std::string* t_sink = nullptr;

__attribute__((format(printf, 2, 0))) void append(std::string& sink, const char* format,
                                                  va_list arguments) {
  std::array<char, 4096> line{};
  va_list copy;
  va_copy(copy, arguments);
  const int size = std::vsnprintf(line.data(), line.size(), format, copy);
  va_end(copy);
  if (size > 0 && static_cast<std::size_t>(size) < line.size()) {
    sink.append(line.data(), static_cast<std::size_t>(size));
  } else if (size > 0) {
    // A verifier log: what matters is at its end.
    std::string whole(static_cast<std::size_t>(size) + 1, '\0');
    std::vsnprintf(whole.data(), whole.size(), format, arguments);
    whole.pop_back();
    sink.append(whole);
  }
}

__attribute__((format(printf, 2, 0))) int collect(libbpf_print_level level, const char* format,
                                                  va_list arguments);

/// libbpf's print function, of which a process has one.
class Printer {
 public:
  void take() {
    const std::lock_guard lock(mutex_);
    ++users_;
    const libbpf_print_fn_t before = libbpf_set_print(collect);
    if (before != collect) {
      host_ = before;
    }
  }
  void give_back() {
    const std::lock_guard lock(mutex_);
    if (--users_ != 0) {
      return;
    }
    const libbpf_print_fn_t mine = libbpf_set_print(host_);
    if (mine != collect) {
      // Set by somebody else meanwhile.
      libbpf_set_print(mine);
    }
  }
  /// Whom ours stands for, or stood for: a thread may be in it when it is replaced. Null: nobody.
  [[nodiscard]] libbpf_print_fn_t host() {
    const std::lock_guard lock(mutex_);
    return host_;
  }

 private:
  std::mutex mutex_;
  std::size_t users_ = 0;
  libbpf_print_fn_t host_ = nullptr;
};

Printer& printer() {
  static Printer only;
  return only;
}

int collect(libbpf_print_level level, const char* format, va_list arguments) {
  if (t_sink == nullptr) {
    const libbpf_print_fn_t host = printer().host();
    return host != nullptr ? host(level, format, arguments) : 0;
  }
  if (level == LIBBPF_DEBUG) {
    return 0;
  }
  try {
    append(*t_sink, format, arguments);
  } catch (const std::bad_alloc&) {
    // Through libbpf, which is C, nothing is thrown: its words are lost.
    return 0;
  }
  return 1;
}

bool is_noise(std::string_view line) {
  constexpr std::array kNoise = {
      std::string_view{"-- BEGIN"},         std::string_view{"-- END"},
      std::string_view{"processed "},       std::string_view{"failed to load object"},
      std::string_view{"ulimit -l"},        std::string_view{"failed to load BPF skeleton"},
      std::string_view{"failed to load: "},
  };
  for (const std::string_view noise : kNoise) {
    if (line.find(noise) != std::string_view::npos) {
      return true;
    }
  }
  return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

}  // namespace

LibbpfLog::LibbpfLog() : outer_(std::exchange(t_sink, &text_)) {
  printer().take();
}

LibbpfLog::~LibbpfLog() {
  printer().give_back();
  t_sink = outer_;
}

std::string failed_program(const std::string& log) {
  constexpr std::string_view kMark = "prog '";
  const std::size_t at = log.rfind(kMark);
  if (at == std::string::npos) {
    return {};
  }
  const std::size_t begin = at + kMark.size();
  const std::size_t end = log.find('\'', begin);
  return end == std::string::npos ? std::string{} : log.substr(begin, end - begin);
}

std::string last_words(const std::string& log) {
  std::istringstream lines(log);
  std::string line;
  std::string last;
  while (std::getline(lines, line)) {
    if (!is_noise(line)) {
      last = line;
    }
  }
  constexpr std::string_view kPrefix = "libbpf: ";
  return last.starts_with(kPrefix) ? last.substr(kPrefix.size()) : last;
}

}  // namespace evictd::probe
