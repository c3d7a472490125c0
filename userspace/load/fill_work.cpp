// SPDX-License-Identifier: Apache-2.0
#include "load/fill_work.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace evictd::load {

namespace {

constexpr std::size_t kWriteBytes = std::size_t{1} << 18;

bool is_full(int error) {
  return error == ENOSPC || error == EDQUOT;
}

base::Fd make_file(const std::string& path) {
  return base::Fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
}

}  // namespace

std::string FillWork::next_name() {
  return options_.directory + "/evict-load-" + std::to_string(::getpid()) + "-" +
         std::to_string(files_++);
}

Result<> FillWork::prepare() {
  if (options_.with == FillWith::kInodes) {
    return {};
  }
  const std::string path = next_name();
  file_ = make_file(path);
  if (!file_) {
    return fail_errno(errno, "make " + path);
  }
  text_.assign(kWriteBytes, 'x');
  return {};
}

Result<std::uint64_t> FillWork::add(std::uint64_t units) {
  return options_.with == FillWith::kBytes ? add_bytes(units) : add_files(units);
}

Result<std::uint64_t> FillWork::add_bytes(std::uint64_t bytes) {
  std::uint64_t done = 0;
  while (done < bytes) {
    const ssize_t written =
        ::write(file_.get(), text_.data(), std::min<std::uint64_t>(text_.size(), bytes - done));
    if (written < 0 && is_full(errno)) {
      return done;
    }
    if (written < 0) {
      return fail_errno(errno, "write to a file in " + options_.directory);
    }
    done += static_cast<std::uint64_t>(written);
  }
  return done;
}

Result<std::uint64_t> FillWork::add_files(std::uint64_t files) {
  for (std::uint64_t done = 0; done < files; ++done) {
    const std::string path = next_name();
    const base::Fd file = make_file(path);
    if (!file && is_full(errno)) {
      return done;
    }
    if (!file) {
      return fail_errno(errno, "make " + path);
    }
  }
  return files;
}

}  // namespace evictd::load
