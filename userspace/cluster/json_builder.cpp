// SPDX-License-Identifier: Apache-2.0
#include "cluster/json_builder.h"

#include <algorithm>
#include <utility>

namespace evictd::cluster {

void JsonBuilder::fail_at(int line, Errc code, std::string what) {
  if (!failure_) {
    failure_ = Error{code, 0, std::to_string(line) + ": " + std::move(what)};
  }
}

bool JsonBuilder::wants_key() const {
  return !frames_.empty() && frames_.back().value.is_object() && !frames_.back().key;
}

bool JsonBuilder::count(std::size_t values, int line) {
  values_ += values;
  if (values_ > limits_.values) {
    fail_at(line, Errc::kExhausted, "more than " + std::to_string(limits_.values) + " values");
  }
  return !failure_;
}

/// A reader of the result may recurse once per level, so no text may be deeper, not even by
/// aliases.
bool JsonBuilder::nest(std::size_t levels, int line) {
  if (frames_.size() + levels > limits_.depth) {
    fail_at(line, Errc::kExhausted,
            "nested deeper than " + std::to_string(limits_.depth) + " levels");
  }
  return !failure_;
}

void JsonBuilder::add(nlohmann::json value, int line, std::size_t anchor) {
  if (failure_ || !count(1, line)) {
    return;
  }
  look_at(line);
  if (anchor != 0) {
    anchors_.insert_or_assign(anchor, Anchored{value, 1, 0});
  }
  attach(std::move(value), line, 0);
}

void JsonBuilder::add_alias(std::size_t anchor, int line) {
  const auto anchored = anchors_.find(anchor);
  if (anchored == anchors_.end()) {
    fail_at(line, Errc::kInvalid, "an alias to a value that contains it");
    return;
  }
  const Anchored& meant = anchored->second;
  if (failure_ || !count(meant.values, line) || !nest(meant.levels, line)) {
    return;
  }
  look_at(line);
  attach(meant.value, line, meant.levels);
}

void JsonBuilder::begin_object(int line, std::size_t anchor) {
  begin(nlohmann::json::object(), line, anchor);
}

void JsonBuilder::begin_array(int line, std::size_t anchor) {
  begin(nlohmann::json::array(), line, anchor);
}

void JsonBuilder::begin(nlohmann::json value, int line, std::size_t anchor) {
  if (failure_ || !count(1, line) || !nest(1, line)) {
    return;
  }
  look_at(line);
  frames_.push_back({std::move(value), std::nullopt, anchor, values_ - 1, line, 1});
}

void JsonBuilder::add_key(std::string key, int line) {
  if (failure_) {
    return;
  }
  Frame& frame = frames_.back();
  if (frame.value.contains(key)) {
    fail_at(line, Errc::kInvalid, "key '" + key + "' is given twice");
    return;
  }
  frame.key = std::move(key);
}

void JsonBuilder::end() {
  if (failure_) {
    return;
  }
  Frame frame = std::move(frames_.back());
  frames_.pop_back();
  if (frame.anchor != 0) {
    anchors_.insert_or_assign(frame.anchor,
                              Anchored{frame.value, values_ - frame.values_before, frame.levels});
  }
  attach(std::move(frame.value), frame.line, frame.levels);
}

void JsonBuilder::attach(nlohmann::json value, int line, std::size_t levels) {
  if (frames_.empty()) {
    documents_.push_back({std::move(value), line, std::exchange(item_lines_, {})});
    return;
  }
  Frame& parent = frames_.back();
  parent.levels = std::max(parent.levels, levels + 1);
  if (parent.value.is_array()) {
    parent.value.push_back(std::move(value));
    return;
  }
  parent.value.emplace(*parent.key, std::move(value));
  parent.key.reset();
}

void JsonBuilder::look_at(int line) {
  if (frames_.size() == 2 && frames_.front().key == "items" && frames_.back().value.is_array()) {
    item_lines_.push_back(line);
  }
  if (!watch_ || watched_line_ || frames_.empty() ||
      frames_.front().line != watch_->document_line) {
    return;
  }
  if (path() == watch_->path) {
    watched_line_ = line;
  }
}

std::string JsonBuilder::path() const {
  std::string path;
  for (const Frame& frame : frames_) {
    if (frame.value.is_array()) {
      path += "[" + std::to_string(frame.value.size()) + "]";
    } else {
      path += (path.empty() ? "" : ".") + frame.key.value_or("");
    }
  }
  return path;
}

}  // namespace evictd::cluster
