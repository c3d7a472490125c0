// SPDX-License-Identifier: Apache-2.0
#include "allocation_count.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

// Replaced operators have nowhere else to count.
std::atomic<std::size_t> g_allocations{
    0};  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

}  // namespace

namespace evictd::test {

std::size_t allocations() {
  return g_allocations.load();
}

}  // namespace evictd::test

// NOLINTBEGIN(cppcoreguidelines-no-malloc): this is where `new` gets its memory.
void* operator new(std::size_t size) {
  ++g_allocations;
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
