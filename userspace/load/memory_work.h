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
  kFile,    ///< Page cache of an unlinked file.
};

enum class PageSize { k4KiB, kHuge };

/// What to write to a page.
enum class PageContent {
  kOneByte,  ///< The rest stays zero, so that swap in memory (zram) needs almost no space for it.
  kMixed,    ///< The content of mixed_page(), which zram compresses to two fifths.
};

inline constexpr std::uint64_t kSmallPageBytes = 4096;
/// On x86-64, and on arm64 with 4 KiB pages.
inline constexpr std::uint64_t kHugePageBytes = std::uint64_t{2} << 20;

/// The content of each 4 KiB with kMixed: two fifths incompressible random bytes, the same in every
/// run, then zeros.
[[nodiscard]] std::vector<char> mixed_page();

/// Memory that grows and is never freed. One write per page touches it, as fast as the kernel
/// handles page faults; kMixed adds the time to copy the content.
class MemoryWork final : public Work {
 public:
  struct Options {
    MemoryKind kind = MemoryKind::kAnonymous;
    PageSize page_size = PageSize::k4KiB;
    PageContent content = PageContent::kOneByte;
    /// Directory of kFile's file.
    std::string directory = ".";
  };

  explicit MemoryWork(Options options);

  /// Errors: kUnsupported if transparent huge pages are disabled; those of creating the file.
  Result<> prepare() override;
  /// `units`: bytes, touched in whole pages.
  Result<std::uint64_t> add(std::uint64_t units) override;

 private:
  [[nodiscard]] Result<> map_more();
  /// Makes one small page, or its part of a huge page, private memory of the process.
  void write_page(char* page) const;
  void touch_small(std::uint64_t bytes);
  void touch_huge(std::uint64_t bytes);
  [[nodiscard]] Result<std::uint64_t> write_file(std::uint64_t bytes);

  Options options_;
  /// Written to the start of each small page; empty: one byte is written.
  std::vector<char> content_;
  /// The mapped part of the address space that is not touched yet.
  char* next_ = nullptr;
  char* end_ = nullptr;
  base::Fd file_;
  std::vector<char> text_;
};

}  // namespace evictd::load
