// SPDX-License-Identifier: Apache-2.0
#include "support/allocation_count.h"

#include <cstdlib>
#include <new>

namespace {

// Replaced operators can count nowhere else.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
thread_local std::size_t t_allocations = 0;

// Allocates and counts for `new`.
void* counted(std::size_t size) {
  ++t_allocations;
  return std::malloc(size == 0 ? 1 : size);  // NOLINT(cppcoreguidelines-no-malloc)
}

}  // namespace

namespace evictd::test {

std::size_t allocations() {
  return t_allocations;
}

}  // namespace evictd::test

// A sanitizer defines all of these, so every operator of a matching set must be replaced.
// NOLINTBEGIN(cppcoreguidelines-no-malloc)
void* operator new(std::size_t size) {
  if (void* memory = counted(size)) {
    return memory;
  }
  throw std::bad_alloc();
}
void* operator new(std::size_t size, const std::nothrow_t& /*tag*/) noexcept {
  return counted(size);
}
void* operator new[](std::size_t size) {
  return operator new(size);
}

void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t /*size*/) noexcept {
  std::free(memory);
}
void operator delete(void* memory, const std::nothrow_t& /*tag*/) noexcept {
  std::free(memory);
}
void operator delete[](void* memory) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t /*size*/) noexcept {
  std::free(memory);
}
// NOLINTEND(cppcoreguidelines-no-malloc)
