// SPDX-License-Identifier: Apache-2.0
#include "base/json_text.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace evictd::base {

namespace {

/// A key for an error: in quotes, on one line, shortened if it is very long.
std::string shown(const std::string& key) {
  constexpr std::size_t kMost = 80;
  const nlohmann::json text = key.substr(0, kMost);
  return text.dump(-1, ' ', /*ensure_ascii=*/true, nlohmann::json::error_handler_t::replace) +
         (key.size() > kMost ? "..." : "");
}

/// Builds the tree from the parser's events; returning false stops the parser.
template <typename Json>
class Builder {
 public:
  // NOLINTBEGIN(readability-identifier-naming): the library's names.
  using number_integer_t = typename Json::number_integer_t;
  using number_unsigned_t = typename Json::number_unsigned_t;
  using number_float_t = typename Json::number_float_t;
  using string_t = typename Json::string_t;
  using binary_t = typename Json::binary_t;
  // NOLINTEND(readability-identifier-naming)

  explicit Builder(const JsonLimits& limits) : limits_(limits) {}

  Result<Json> result() {
    if (failure_) {
      return Failure(std::move(*failure_));
    }
    return std::move(root_);
  }

  bool null() { return add(nullptr); }
  bool boolean(bool value) { return add(value); }
  bool number_integer(number_integer_t value) { return add(value); }
  bool number_unsigned(number_unsigned_t value) { return add(value); }
  bool number_float(number_float_t value, const string_t& /*text*/) { return add(value); }
  bool string(string_t& value) { return add(std::move(value)); }
  bool binary(binary_t& /*value*/) { return false; }
  bool start_object(std::size_t /*size*/) { return begin(Json::object()); }
  bool end_object() { return end(); }
  bool start_array(std::size_t /*size*/) { return begin(Json::array()); }
  bool end_array() { return end(); }

  bool key(string_t& key) {
    auto& object = open_.back()->template get_ref<typename Json::object_t&>();
    if (object.size() == limits_.members) {
      return refuse(Errc::kExhausted,
                    "an object of more than " + std::to_string(limits_.members) + " members");
    }
    const auto [member, added] = object.emplace(key, Json());
    member_ = &member->second;
    return added || refuse(Errc::kInvalid, "the key " + shown(key) + " is there twice");
  }

  bool parse_error(std::size_t /*position*/, const std::string& /*token*/,
                   const nlohmann::detail::exception& /*error*/) {
    return refuse(Errc::kMalformed, "not JSON");
  }

 private:
  bool add(Json value) {
    place(std::move(value));
    return true;
  }

  bool begin(Json container) {
    if (open_.size() == limits_.depth) {
      return refuse(Errc::kExhausted,
                    "nests deeper than " + std::to_string(limits_.depth) + " levels");
    }
    open_.push_back(place(std::move(container)));
    return true;
  }

  bool end() {
    open_.pop_back();
    return true;
  }

  /// Address of the value until its container grows, which is not before the value has ended.
  Json* place(Json value) {
    if (open_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    if (open_.back()->is_array()) {
      open_.back()->push_back(std::move(value));
      return &open_.back()->back();
    }
    *member_ = std::move(value);
    return member_;
  }

  bool refuse(Errc code, std::string what) {
    failure_ = Error{.code = code, .sys_errno = 0, .context = std::move(what)};
    return false;
  }

  JsonLimits limits_;
  Json root_;
  std::vector<Json*> open_;
  /// The value of the last key.
  Json* member_ = nullptr;
  std::optional<Error> failure_;
};

}  // namespace

template <typename Json>
Result<Json> parse_json(std::string_view text, const JsonLimits& limits) {
  Builder<Json> builder(limits);
  static_cast<void>(Json::sax_parse(text, &builder));
  return builder.result();
}

template Result<nlohmann::json> parse_json(std::string_view text, const JsonLimits& limits);
template Result<nlohmann::ordered_json> parse_json(std::string_view text, const JsonLimits& limits);

}  // namespace evictd::base
