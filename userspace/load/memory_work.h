// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/fd.h"
#include "load/run.h"

namespace evictd::load {

enum class MemoryKind {
  kAnonymous,
  kShared,  ///< Shared anonymous memory, which the kernel charges as shmem.
  kFile,    ///< Page cache of a file that has no name any more.
};

enum class PageSize { k4KiB, kHuge };

/// What is written to a page.
enum class PageContent {
  kOneByte,  ///< The rest stays zero, so that swap in memory (zram) holds it for next to nothing.
  kMixed,    ///< As mixed_page() has it, which zram holds for two fifths.
};

inline constexpr std::uint64_t kSmallPageBytes = 4096;
/// Of x86-64, and of arm64 with 4 KiB pages.
inline constexpr std::uint64_t kHugePageBytes = std::uint64_t{2} << 20;

/// What kMixed writes to each 4 KiB: two fifths random bytes, the same ones in every run, which no
/// compressor makes smaller, then zeros.
[[nodiscard]] std::vector<char> mixed_page();

/// Memory that grows and is never given back, touched one write a page: as fast as the kernel
/// faults; with kMixed content as fast as it copies besides.
class MemoryWork final : public Work {
 public:
  struct Options {
    MemoryKind kind = MemoryKind::kAnonymous;
    PageSize page_size = PageSize::k4KiB;
    PageContent content = PageContent::kOneByte;
    /// Where the file of kFile is made.
    std::string directory = ".";
  };

  explicit MemoryWork(Options options);

  /// Errors: kUnsupported where transparent huge pages are switched off; those of making the file.
  Result<> prepare() override;
  /// `units`: bytes; whole pages are touched.
  Result<std::uint64_t> add(std::uint64_t units) override;

 private:
  [[nodiscard]] Result<> map_more();
  /// Makes one small page, or what is one small page's share of a huge one, the process's own.
  void write_page(char* page) const;
  void touch_small(std::uint64_t bytes);
  void touch_huge(std::uint64_t bytes);
  [[nodiscard]] Result<std::uint64_t> write_file(std::uint64_t bytes);

  Options options_;
  /// Written to the beginning of each small page; empty: one byte is.
  std::vector<char> content_;
  /// The part of the address space that is mapped and not touched yet.
  char* next_ = nullptr;
  char* end_ = nullptr;
  base::Fd file_;
  std::vector<char> text_;
};

}  // namespace evictd::load
