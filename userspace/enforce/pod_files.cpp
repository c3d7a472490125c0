// SPDX-License-Identifier: Apache-2.0
#include "enforce/pod_files.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>

namespace evictd::enforce {

bool write_control(int fd, std::string_view text) {
  return fd >= 0 && ::pwrite(fd, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size());
}

void practise_control(int fd) {
  // Neither a number nor "max": EINVAL.
  static_cast<void>(write_control(fd, "?"));
}

Populated read_populated(int events_fd) {
  std::array<char, 64> text{};
  const ssize_t length = ::pread(events_fd, text.data(), text.size(), 0);
  if (length < 0) {
    return errno == ENODEV ? Populated::kGone : Populated::kYes;
  }
  const std::string_view lines(text.data(), static_cast<std::size_t>(length));
  return lines.find("populated 0") == std::string_view::npos ? Populated::kYes : Populated::kNo;
}

PidsMax::PidsMax(int fd) {
  const ssize_t length = ::pread(fd, text_.data(), text_.size(), 0);
  length_ = length > 0 ? static_cast<std::size_t>(length) : 0;
}

PidsMax::PidsMax(std::string_view text) {
  if (text.size() <= text_.size()) {
    std::copy(text.begin(), text.end(), text_.begin());
    length_ = text.size();
  }
}

std::string_view PidsMax::word() const {
  const std::string_view whole = text();
  const auto* const end = std::find_if(whole.begin(), whole.end(),
                                       [](unsigned char c) { return std::isalnum(c) == 0; });
  return whole.substr(0, static_cast<std::size_t>(end - whole.begin()));
}

ForkStop::ForkStop(int pids_max_fd, const PidsMax& before) : fd_(pids_max_fd), before_(before) {
  write_control(fd_, "0");
}

ForkStop::~ForkStop() {
  if (!keep_ && !before_.text().empty()) {
    write_control(fd_, before_.text());
  }
}

}  // namespace evictd::enforce
