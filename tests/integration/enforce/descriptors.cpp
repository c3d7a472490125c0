// SPDX-License-Identifier: Apache-2.0
#include "descriptors.h"

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <iterator>
#include <vector>

#include "base/fd.h"

namespace evictd::enforce::test {

namespace {

std::vector<base::Fd> open_all() {
  std::vector<base::Fd> opened;
  while (true) {
    base::Fd next(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    if (!next) {
      return opened;
    }
    opened.push_back(std::move(next));
  }
}

}  // namespace

std::size_t open_descriptors() {
  // The one that lists them is among them.
  return static_cast<std::size_t>(
             std::distance(std::filesystem::directory_iterator("/proc/self/fd"),
                           std::filesystem::directory_iterator())) -
         1;
}

DescriptorLimit::DescriptorLimit(std::size_t more) {
  ::getrlimit(RLIMIT_NOFILE, &before_);
  rlimit limit = before_;
  // Descriptors in use may leave holes: the limit is raised from the first number that is free.
  limit.rlim_cur = 0;
  ::setrlimit(RLIMIT_NOFILE, &limit);
  for (std::size_t could_open = 0; could_open < more; could_open = free()) {
    ++limit.rlim_cur;
    ::setrlimit(RLIMIT_NOFILE, &limit);
  }
}

DescriptorLimit::~DescriptorLimit() {
  ::setrlimit(RLIMIT_NOFILE, &before_);
}

std::size_t DescriptorLimit::free() const {
  return open_all().size();
}

}  // namespace evictd::enforce::test
