// SPDX-License-Identifier: Apache-2.0
#include "support/allocation_count.h"

#include <cstdlib>
#include <new>

namespace {

// Replaced operators have nowhere else to count.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
thread_local std::size_t t_allocations = 0;

}  // namespace

namespace evictd::test {

std::size_t allocations() {
  return t_allocations;
}

}  // namespace evictd::test

// NOLINTBEGIN(cppcoreguidelines-no-malloc): this is where `new` gets its memory.
void* operator new(std::size_t size) {
  ++t_allocations;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) {
    return memory;
  }
  throw std::bad_alloc();
}

void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t /*size*/) noexcept {
  std::free(memory);
}
// NOLINTEND(cppcoreguidelines-no-malloc)
