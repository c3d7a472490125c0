// SPDX-License-Identifier: Apache-2.0
// A quantity that can be read is written as a text that reads as the same amount, up to the largest
// amount that has a suffix: beyond that Kubernetes itself writes the digits without one.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "eviction/quantity.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using evictd::eviction::Quantity;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto quantity = Quantity::parse(text);
  if (!quantity) {
    return 0;
  }
  constexpr evictd::eviction::Wide kBeyondSuffixes =
      evictd::eviction::Wide{1'000'000'000'000} * 1'000'000'000;
  if (quantity->ceiling() >= kBeyondSuffixes || quantity->ceiling() <= -kBeyondSuffixes) {
    return 0;
  }
  const auto again = Quantity::parse(quantity->to_string());
  if (!again || *again != *quantity) {
    std::abort();
  }
  if (*quantity + Quantity() != *quantity || (*quantity - *quantity).sign() != 0) {
    std::abort();
  }
  return 0;
}
