// SPDX-License-Identifier: Apache-2.0
#include "probe/row_table.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <limits>
#include <utility>

namespace evictd::probe {
namespace {

template <typename T>
T load(const T& value) {
  return __atomic_load_n(&value, __ATOMIC_RELAXED);
}

Bytes bytes(std::uint64_t value) {
  constexpr auto kMax = std::numeric_limits<std::int64_t>::max();
  return Bytes{value > static_cast<std::uint64_t>(kMax) ? kMax : static_cast<std::int64_t>(value)};
}

}  // namespace

RowTable::RowTable(RowTable&& other) noexcept
    : mapping_(std::exchange(other.mapping_, nullptr)),
      rows_(std::exchange(other.rows_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)),
      slots_(std::exchange(other.slots_, 0)),
      clock_(other.clock_) {}

RowTable& RowTable::operator=(RowTable&& other) noexcept {
  std::swap(mapping_, other.mapping_);
  std::swap(rows_, other.rows_);
  std::swap(bytes_, other.bytes_);
  std::swap(slots_, other.slots_);
  std::swap(clock_, other.clock_);
  return *this;
}

RowTable::~RowTable() {
  if (mapping_ != nullptr) {
    ::munmap(mapping_, bytes_);
  }
}

Result<RowTable> RowTable::map(int map_fd, std::uint32_t slots, base::KernelClock clock) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const std::size_t size = (slots * sizeof(evictd_row) + page - 1) / page * page;
  void* memory = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, map_fd, 0);
  if (memory == MAP_FAILED) {
    return fail_errno(errno, "map the table of rows");
  }
  return RowTable{memory, size, slots, clock};
}

CgroupUsage RowTable::read(std::uint32_t slot, std::uint32_t generation) const {
  CgroupUsage usage;
  usage.source = UsageSource::kBpfTable;
  if (slot >= slots_ || generation == 0 || load(rows_[slot].generation) != generation) {
    return usage;
  }
  const evictd_row& row = rows_[slot];
  const std::uint32_t flags = load(row.flags);
  if ((flags & EVICTD_ROW_MEMORY) != 0) {
    usage.usage = bytes(load(row.usage_bytes));
    usage.inactive_file = bytes(load(row.inactive_file_bytes));
    usage.limit = bytes(load(row.limit_bytes));
    usage.rate_bytes_per_second = load(row.rate_bytes_per_s);
    usage.working_set_rate_bytes_per_second = load(row.working_set_rate_bytes_per_s);
  }
  if ((flags & EVICTD_ROW_TASKS) != 0) {
    usage.tasks = static_cast<std::int64_t>(load(row.tasks));
  }
  usage.stall = Duration{static_cast<std::int64_t>(load(row.stall_ns))};
  usage.read_at = clock_.moment(load(row.ktime_ns));
  return usage;
}

}  // namespace evictd::probe
