# SPDX-License-Identifier: Apache-2.0
"""scripts/lib/class_sizes.py: what counts as a field and as a method of a class."""
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts/lib"))
from class_sizes import ClassSize, class_sizes  # noqa: E402

SEVERAL = """
// class Commented { int not_there_; };
namespace evictd {
class Forward;
enum class Kind : int { kOne };
class Base { virtual void run() = 0; };

class Loop final : public Base {
 public:
  struct Options {
    int width_ = 0;
    void check();
  };
  explicit Loop(Options options) : options_(options), name_("class Quoted { int x_; };") {}
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;
  ~Loop() = default;
  [[nodiscard]] std::map<int, std::string> names(int first = 0) const { return {}; }
  void handle(const One& message) { one_.handle(message); }
  void handle(const Two& message);
  template <typename T>
  T find(const std::function<bool(T)>& wanted);

 private:
  static constexpr int kMost = 3;
  Options options_;
  std::function<void(int)> callback_;
  std::array<int, 4> counts_{};
  std::string name_;
  bool ready_ = false, stop_ = false;
  std::vector<int> by_slot_ = std::vector<int>(kMost);  // Two braces: {}
};
}  // namespace evictd
"""


class ClassSizes(unittest.TestCase):
    def test_counts_members_and_not_what_is_inside_them(self):
        base, loop = class_sizes(SEVERAL)
        self.assertEqual(base, ClassSize("Base", 6, 0, 1))
        self.assertEqual(loop, ClassSize("Loop", 8, 7, 3))

    def test_counts_the_members_of_a_nested_class_as_its_own(self):
        sizes = list(class_sizes("class Outer {\n  class Inner {\n    int one_;\n    int two_;\n  };\n  Inner inner_;\n};\n"))
        self.assertEqual(sizes, [ClassSize("Outer", 1, 1, 0), ClassSize("Inner", 2, 2, 0)])


if __name__ == "__main__":
    unittest.main()
