// SPDX-License-Identifier: Apache-2.0
#include "kube/shaped_json.h"

#include <optional>
#include <utility>
#include <vector>

namespace evictd::kube {

namespace {

using Json = nlohmann::json;

/// Builds the kept value from the parser's callbacks; a callback that returns false stops the
/// parser.
class ShapedBuilder {
 public:
  ShapedBuilder(const Shape& shape, const ShapeLimits& limits) : limits_(limits), next_(&shape) {}

  Result<Json> result() {
    if (failure_) {
      return Failure(std::move(*failure_));
    }
    return std::move(root_);
  }

  bool null() { return add(nullptr); }
  bool boolean(bool value) { return add(value); }
  bool number_integer(Json::number_integer_t value) { return add(value); }
  bool number_unsigned(Json::number_unsigned_t value) { return add(value); }
  bool number_float(Json::number_float_t value, const std::string& /*text*/) { return add(value); }
  bool string(std::string& value) { return add(std::move(value)); }
  bool binary(Json::binary_t& /*value*/) { return false; }
  bool start_object(std::size_t /*size*/) { return begin(Json::object()); }
  bool end_object() { return end(); }
  bool start_array(std::size_t /*size*/) { return begin(Json::array()); }
  bool end_array() { return end(); }

  bool key(std::string& name) {
    if (skipped_depth_ != 0) {
      return true;
    }
    const Frame& object = open_.back();
    auto found = object.shape->members.find(name);
    if (found == object.shape->members.end()) {
      found = object.shape->members.find(Shape::kAny);
    }
    next_ = found == object.shape->members.end() ? nullptr : &found->second;
    if (next_ == nullptr) {
      return true;
    }
    const auto [member, added] =
        object.value->get_ref<Json::object_t&>().emplace(std::move(name), Json());
    member_ = &member->second;
    return added || refuse(Errc::kInvalid, "a key is given twice");
  }

  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const nlohmann::detail::exception& /*error*/) {
    return refuse(Errc::kMalformed, "not JSON at byte " + std::to_string(position));
  }

 private:
  struct Frame {
    Json* value;
    const Shape* shape;
  };

  /// Whether the current value is skipped.
  [[nodiscard]] bool is_skipped() const { return skipped_depth_ != 0 || next_ == nullptr; }

  bool add(Json value) { return is_skipped() || place(std::move(value)) != nullptr; }

  bool begin(Json container) {
    if (open_.size() + skipped_depth_ == limits_.depth) {
      return refuse(Errc::kExhausted,
                    "nests deeper than " + std::to_string(limits_.depth) + " levels");
    }
    if (is_skipped()) {
      ++skipped_depth_;
      return true;
    }
    Json* const placed = place(std::move(container));
    if (placed == nullptr) {
      return false;
    }
    open_.push_back({.value = placed, .shape = next_});
    return true;
  }

  bool end() {
    if (skipped_depth_ != 0) {
      --skipped_depth_;
    } else {
      open_.pop_back();
    }
    if (skipped_depth_ == 0 && !open_.empty()) {
      // The next element's shape; a member's shape comes from its key.
      next_ = open_.back().value->is_array() ? open_.back().shape : nullptr;
    }
    return true;
  }

  /// Returns the stored value; nullptr if there are too many. The pointer stays valid until its
  /// parent grows, which happens only after the value is complete.
  Json* place(Json value) {
    if (++values_ > limits_.values) {
      refuse(Errc::kExhausted, "more than " + std::to_string(limits_.values) + " values");
      return nullptr;
    }
    if (open_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    Json& container = *open_.back().value;
    if (container.is_array()) {
      container.push_back(std::move(value));
      return &container.back();
    }
    *member_ = std::move(value);
    return member_;
  }

  bool refuse(Errc code, std::string what) {
    failure_ = Error{.code = code, .sys_errno = 0, .context = std::move(what)};
    return false;
  }

  ShapeLimits limits_;
  Json root_;
  std::vector<Frame> open_;
  /// Nesting depth within a skipped object or list.
  std::size_t skipped_depth_ = 0;
  std::size_t values_ = 0;
  /// Shape of the current value; nullptr: skipped.
  const Shape* next_;
  /// Value of the last kept key.
  Json* member_ = nullptr;
  std::optional<Error> failure_;
};

}  // namespace

Shape keeping(std::initializer_list<const char*> names) {
  Shape shape;
  for (const char* const name : names) {
    shape.members.emplace(name, Shape{});
  }
  return shape;
}

Result<Json> read_shaped(std::string_view text, const Shape& shape, const ShapeLimits& limits) {
  ShapedBuilder builder(shape, limits);
  static_cast<void>(Json::sax_parse(text, &builder));
  return builder.result();
}

}  // namespace evictd::kube
