// SPDX-License-Identifier: Apache-2.0
#include "load/memory_work.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <fstream>
#include <random>
#include <utility>

#include "evictd/try.h"

namespace evictd::load {

namespace {

/// Address space is mapped in pieces of this size; mapping touches nothing.
constexpr std::size_t kPieceBytes = std::size_t{1} << 30;

/// One write of the file kind: large enough for large folios.
constexpr std::size_t kFileWriteBytes = std::size_t{1} << 18;

constexpr const char* kHugePages = "/sys/kernel/mm/transparent_hugepage/enabled";

std::uint64_t round_up(std::uint64_t bytes, std::uint64_t page) {
  return (bytes + page - 1) / page * page;
}

/// Two fifths of a small page.
constexpr std::size_t kRandomBytes = kSmallPageBytes * 2 / 5;

void touch(char* page) {
  *static_cast<volatile char*>(page) = 1;
}

/// One write of the file kind: pages with the content of `content`.
std::vector<char> file_text(const std::vector<char>& content) {
  std::vector<char> text(kFileWriteBytes, content.empty() ? 'x' : '\0');
  for (std::size_t page = 0; page < text.size(); page += kSmallPageBytes) {
    std::copy(content.begin(), content.end(), text.begin() + static_cast<std::ptrdiff_t>(page));
  }
  return text;
}

long faults() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt;
}

}  // namespace

std::vector<char> mixed_page() {
  std::vector<char> page(kSmallPageBytes);
  // A load must be the same in every run.
  std::mt19937 random{1};
  std::generate_n(page.begin(), kRandomBytes, [&] { return static_cast<char>(random() & 0xFFU); });
  return page;
}

MemoryWork::MemoryWork(Options options) : options_(std::move(options)) {
  if (options_.content == PageContent::kMixed) {
    content_ = mixed_page();
    // A fresh page is zero already.
    content_.resize(kRandomBytes);
  }
}

Result<> MemoryWork::prepare() {
  if (options_.kind == MemoryKind::kFile) {
    file_ = base::Fd(::open(options_.directory.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600));
    if (!file_) {
      return fail_errno(errno, "make a file in " + options_.directory);
    }
    text_ = file_text(content_);
    return {};
  }
  if (options_.page_size == PageSize::kHuge && options_.kind == MemoryKind::kAnonymous) {
    std::ifstream file(kHugePages);
    std::string text;
    std::getline(file, text);
    if (text.empty() || text.find("[never]") != std::string::npos) {
      return fail(Errc::kUnsupported, std::string("huge pages are switched off in ") + kHugePages);
    }
  }
  return map_more();
}

Result<> MemoryWork::map_more() {
  // One huge page more, so that the piece can start at a huge page boundary.
  const int flags = MAP_NORESERVE | MAP_ANONYMOUS |
                    (options_.kind == MemoryKind::kShared ? MAP_SHARED : MAP_PRIVATE);
  void* map = ::mmap(nullptr, kPieceBytes + kHugePageBytes, PROT_READ | PROT_WRITE, flags, -1, 0);
  if (map == MAP_FAILED) {
    return fail_errno(errno, "map memory");
  }
  const std::uint64_t start = round_up(reinterpret_cast<std::uintptr_t>(map), kHugePageBytes);
  next_ = static_cast<char*>(map) + (start - reinterpret_cast<std::uintptr_t>(map));
  end_ = next_ + kPieceBytes;
  const int advice = options_.page_size == PageSize::kHuge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE;
  if (::madvise(next_, kPieceBytes, advice) != 0) {
    return fail_errno(errno, "choose the page size");
  }
  return {};
}

Result<std::uint64_t> MemoryWork::add(std::uint64_t units) {
  if (options_.kind == MemoryKind::kFile) {
    return write_file(units);
  }
  const bool huge = options_.page_size == PageSize::kHuge;
  const std::uint64_t wanted = round_up(units, huge ? kHugePageBytes : kSmallPageBytes);
  if (next_ == end_) {
    EVICTD_TRY(map_more());
  }
  const std::uint64_t bytes = std::min(wanted, static_cast<std::uint64_t>(end_ - next_));
  if (huge) {
    touch_huge(bytes);
  } else {
    touch_small(bytes);
  }
  next_ += bytes;
  return bytes;
}

void MemoryWork::write_page(char* page) const {
  if (content_.empty()) {
    touch(page);
  } else {
    std::copy(content_.begin(), content_.end(), page);
  }
}

void MemoryWork::touch_small(std::uint64_t bytes) {
  for (char* page = next_; page < next_ + bytes; page += kSmallPageBytes) {
    write_page(page);
  }
}

void MemoryWork::touch_huge(std::uint64_t bytes) {
  for (char* page = next_; page < next_ + bytes; page += kHugePageBytes) {
    const long before = faults();
    touch(page);
    touch(page + kHugePageBytes - 1);
    // Otherwise only if the kernel had no huge page and fell back to small ones.
    if (faults() - before > 1 || !content_.empty()) {
      for (char* small = page; small < page + kHugePageBytes; small += kSmallPageBytes) {
        write_page(small);
      }
    }
  }
}

Result<std::uint64_t> MemoryWork::write_file(std::uint64_t bytes) {
  std::uint64_t done = 0;
  while (done < bytes) {
    const ssize_t written =
        ::write(file_.get(), text_.data(), std::min<std::uint64_t>(text_.size(), bytes - done));
    if (written < 0) {
      return fail_errno(errno, "write to a file in " + options_.directory);
    }
    done += static_cast<std::uint64_t>(written);
  }
  return done;
}

}  // namespace evictd::load
