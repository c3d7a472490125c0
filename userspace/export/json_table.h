// SPDX-License-Identifier: Apache-2.0
// The JSON form of a structure, described once for writing and for reading: a Table with a part for
// each member, in the order of the JSON form.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <tuple>
#include <vector>

#include "export/json_fields.h"
#include "export/json_scalar.h"

namespace evictd::exporting {

/// One member of the structure T as one member of the object, in the given form: a Scalar, a Table,
/// or another type with both functions. An unset std::optional is null.
template <typename T, typename V, typename Form>
struct Member {
  const char* key;
  V T::*at;
  Form form;
  /// Older versions did not write it. The structure keeps its default.
  bool may_be_missing;

  void write(const T& from, JsonFields::Json& object) const {
    if constexpr (requires { (from.*at).has_value(); }) {
      object[key] = from.*at ? form.json(*(from.*at)) : JsonFields::Json(nullptr);
    } else {
      object[key] = form.json(from.*at);
    }
  }

  void read(JsonFields& fields, T& into) const {
    if (may_be_missing && !fields.has(key)) {
      return;
    }
    if constexpr (requires { (into.*at).has_value(); }) {
      if (!fields.member(key).is_null()) {
        form.read(fields, key, (into.*at).emplace());
      }
    } else {
      form.read(fields, key, into.*at);
    }
  }
};

template <typename T, typename V, typename Form = Scalar>
constexpr Member<T, V, Form> member(const char* key, V T::*at, Form form = kScalarOf<V>) {
  return {.key = key, .at = at, .form = form, .may_be_missing = false};
}

template <typename T, typename V, typename Form = Scalar>
constexpr Member<T, V, Form> newer_member(const char* key, V T::*at, Form form = kScalarOf<V>) {
  return {.key = key, .at = at, .form = form, .may_be_missing = true};
}

/// A member that is written only.
template <typename Value>
struct Written {
  const char* key;
  Value value;

  template <typename T>
  void write(const T& from, JsonFields::Json& object) const {
    object[key] = value(from);
  }
  template <typename T>
  void read(JsonFields& /*fields*/, T& /*into*/) const {}
};

template <typename Value>
constexpr Written<Value> written(const char* key, Value value) {
  return {.key = key, .value = value};
}

/// Members that take two functions.
template <typename T>
struct Custom {
  void (*write)(const T& from, JsonFields::Json& object);
  void (*read)(JsonFields& fields, T& into);
};

/// A structure in the structure, whose members are members of the same object.
template <typename T, typename V, typename Form>
struct Inlined {
  V T::*at;
  Form table;

  void write(const T& from, JsonFields::Json& object) const { table.write(from.*at, object); }
  void read(JsonFields& fields, T& into) const { table.read(fields, into.*at); }
};

template <typename T, typename V, typename Form>
constexpr Inlined<T, V, Form> inlined(V T::*at, Form table) {
  return {.at = at, .table = table};
}

template <typename... Parts>
struct Table {
  std::tuple<Parts...> parts;

  constexpr explicit Table(Parts... all) : parts(all...) {}

  template <typename T>
  void write(const T& from, JsonFields::Json& object) const {
    std::apply([&](const auto&... part) { (part.write(from, object), ...); }, parts);
  }
  template <typename T>
  void read(JsonFields& fields, T& into) const {
    std::apply([&](const auto&... part) { (part.read(fields, into), ...); }, parts);
  }

  template <typename T>
  [[nodiscard]] JsonFields::Json json(const T& from) const {
    JsonFields::Json object = JsonFields::Json::object();
    // Growing copies the members so far: their keys are constant, so they cannot be moved.
    object.get_ref<JsonFields::Json::object_t&>().reserve(sizeof...(Parts));
    write(from, object);
    return object;
  }
  template <typename T>
  void read(JsonFields& fields, const char* key, T& into) const {
    JsonFields below = fields.below(key);
    read(below, into);
  }

  template <typename T>
  [[nodiscard]] JsonFields::Json json(const std::vector<T>& all) const {
    JsonFields::Json list = JsonFields::Json::array();
    for (const T& one : all) {
      list.push_back(json(one));
    }
    return list;
  }
  template <typename T>
  void read(JsonFields& fields, const char* key, std::vector<T>& into) const {
    const std::size_t count = fields.list(key).size();
    for (std::size_t i = 0; i < count && !fields.failed(); ++i) {
      JsonFields one = fields.at(key, i);
      read(one, into.emplace_back());
    }
  }
};

/// Members of the structure that are in an object of their own.
template <typename Form>
struct Group {
  const char* key;
  Form table;

  template <typename T>
  void write(const T& from, JsonFields::Json& object) const {
    object[key] = table.json(from);
  }
  template <typename T>
  void read(JsonFields& fields, T& into) const {
    table.read(fields, key, into);
  }
};

template <typename... Parts>
constexpr Group<Table<Parts...>> group(const char* key, Parts... parts) {
  return {.key = key, .table = Table<Parts...>(parts...)};
}

}  // namespace evictd::exporting
