// SPDX-License-Identifier: Apache-2.0
#include "config/reserved_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "core/nearest_name.h"
#include "evictd/try.h"
#include "eviction/quantity.h"

namespace evictd::config {
namespace {

constexpr std::string_view kAllowedAmount = R"(a quantity of at least 0 such as "500m" or "1Gi")";

Result<std::string> read_amount(const Value& value) {
  EVICTD_ASSIGN_OR_RETURN(std::string text, read_text(value));
  const Result<eviction::Quantity> quantity = eviction::Quantity::parse(text);
  if (!quantity) {
    return value.refuse(quantity.error().message(), kAllowedAmount);
  }
  if (quantity->sign() < 0) {
    return value.refuse("negative", kAllowedAmount);
  }
  return text;
}

}  // namespace

Result<std::map<std::string, std::string>> read_reserved(const Value& value) {
  static const std::vector<std::string> kResources = {"cpu", "memory", "ephemeral-storage", "pid"};
  const std::string allowed = fmt::format("{}", fmt::join(kResources, ", "));
  EVICTD_TRY(expect_map(value, "a mapping with any of " + allowed));
  std::map<std::string, std::string> reserved;
  for (const YamlEntry& entry : value.node.entries) {
    const Value member = entry_of(value, entry);
    if (std::find(kResources.begin(), kResources.end(), entry.key) == kResources.end()) {
      return member.refuse(fmt::format("cannot be reserved, the nearest resource is {}",
                                       core::nearest_name(entry.key, kResources)),
                           allowed);
    }
    EVICTD_ASSIGN_OR_RETURN(std::string amount, read_amount(member));
    reserved.emplace(entry.key, std::move(amount));
  }
  return reserved;
}

}  // namespace evictd::config
