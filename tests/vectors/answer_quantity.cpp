// SPDX-License-Identifier: Apache-2.0
#include "convert.h"
#include "eviction/quantity.h"
#include "support/kubernetes/kubernetes_value.h"

namespace evictd::vectors {
namespace {

using eviction::Quantity;
using eviction::QuantityFormat;

/// Below this the recorded amounts have thousandths.
constexpr std::int64_t kMilliLimit = 9'000'000'000'000'000;

QuantityFormat format(const JsonReader& reader) {
  const std::string text = reader.text();
  for (const QuantityFormat known :
       {QuantityFormat::kBinarySI, QuantityFormat::kDecimalSI, QuantityFormat::kDecimalExponent}) {
    if (to_string(known) == text) {
      return known;
    }
  }
  reader.reject("must be BinarySI, DecimalSI or DecimalExponent");
  return QuantityFormat::kDecimalSI;
}

Json described(const Quantity& amount) {
  return {{"value", test::kubernetes_value(amount)},
          {"string", amount.to_string()},
          {"format", to_string(amount.format())},
          {"sign", amount.sign()}};
}

Json parsed(const std::string& text) {
  const Result<Quantity> amount = Quantity::parse(text);
  if (!amount) {
    return {{"error", amount.error().context}};
  }
  Json answer = described(*amount);
  if (amount->value() < kMilliLimit && amount->value() > -kMilliLimit) {
    answer["milli"] = amount->milli_value();
  }
  return answer;
}

}  // namespace

Result<Json> answer_quantity(const Json& input_json, eviction::Compat /*compat*/) {
  Input input(input_json);
  const JsonReader root = input.root();
  const std::string op = root.at("op").text();
  if (op == "parse") {
    return input.checked(parsed(root.at("s").text()));
  }
  if (op == "cmp") {
    const Quantity a = quantity(root.at("a"));
    const Quantity b = quantity(root.at("b"));
    return input.checked({{"cmp", a < b ? -1 : (b < a ? 1 : 0)}, {"equal", a == b}});
  }
  if (op == "add") {
    return input.checked(described(quantity(root.at("a")) + quantity(root.at("b"))));
  }
  if (op == "sub") {
    return input.checked(described(quantity(root.at("a")) - quantity(root.at("b"))));
  }
  if (op == "new") {
    const Quantity amount(whole(root.at("value")), format(root.at("format")));
    return input.checked({{"string", amount.to_string()}, {"sign", amount.sign()}});
  }
  if (op == "newMilli") {
    const Quantity amount = Quantity::of_milli(whole(root.at("value")), format(root.at("format")));
    return input.checked({{"string", amount.to_string()},
                          {"value", test::kubernetes_value(amount)},
                          {"sign", amount.sign()}});
  }
  return fail(Errc::kMalformed, "op: \"" + op + "\" is not known");
}

bool accept_quantity(const Json& expected, const Json& actual) {
  if (!expected.contains("artefact")) {
    return expected == actual;
  }
  // The recorded thousandths are not the exact amount rounded away from zero; the rest is right,
  // and the value is what Kubernetes makes of the amount.
  const auto agrees = [&](const char* key) {
    return !expected.contains(key) || expected.at(key) == actual.value(key, Json());
  };
  return agrees("value") && agrees("string") && agrees("format") && agrees("sign");
}

}  // namespace evictd::vectors
