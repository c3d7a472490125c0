// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

namespace evictd::test {

/// Source of a test's random numbers.
class Numbers {
 public:
  virtual ~Numbers() = default;
  virtual std::uint64_t next() = 0;
  /// 0 to `most`.
  int up_to(int most) { return static_cast<int>(next() % (static_cast<std::uint64_t>(most) + 1)); }
  bool one_in(int n) { return up_to(n - 1) == 0; }
};

/// SplitMix64: the same numbers for the same seed on every machine, unlike those of <random>.
class SeededNumbers final : public Numbers {
 public:
  explicit SeededNumbers(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() override {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
  }

 private:
  std::uint64_t state_;
};

/// The numbers of a fuzzer's input, then zeros.
class GivenNumbers final : public Numbers {
 public:
  explicit GivenNumbers(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
  std::uint64_t next() override {
    std::uint64_t number = 0;
    for (int i = 0; i < 2 && !bytes_.empty(); ++i) {
      number = number << 8U | bytes_.front();
      bytes_ = bytes_.subspan(1);
    }
    return number;
  }
  [[nodiscard]] bool used_up() const { return bytes_.empty(); }

 private:
  std::span<const std::uint8_t> bytes_;
};

}  // namespace evictd::test
