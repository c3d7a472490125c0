// SPDX-License-Identifier: Apache-2.0
#include "web/evictd_client.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "base/json_members.h"
#include "base/json_text.h"
#include "base/unix_socket.h"
#include "evictd/try.h"

namespace evictd::web {

namespace {

using base::text_at;
using Json = nlohmann::ordered_json;

Result<EvictdClient::Answer> ask_now(const std::filesystem::path& socket,
                                     const std::string& program, const std::string& op) {
  EVICTD_ASSIGN_OR_RETURN(const std::string answer,
                          base::request_line(socket, Json{{"op", op}}.dump()));
  Result<Json> parsed = base::parse_json<Json>(answer);
  if (!parsed) {
    return fail_in(program + "'s answer to \"" + op + "\"", parsed.error());
  }
  if (const std::string refusal = text_at(*parsed, "error"); !refusal.empty()) {
    return fail(Errc::kInvalid, program + ": " + refusal);
  }
  return std::make_shared<const Json>(std::move(*parsed));
}

}  // namespace

Result<EvictdClient::Answer> EvictdClient::ask(const std::string& op) {
  const std::lock_guard lock(mutex_);
  const auto now = std::chrono::steady_clock::now();
  const std::uint64_t told = told_;
  const auto kept = kept_.find(op);
  if (kept != kept_.end() && now - kept->second.asked_at < kFreshness &&
      kept->second.told == told) {
    return kept->second.answer;
  }
  Result<Answer> answer = ask_now(socket_, program_, op);
  kept_.insert_or_assign(
      op, Kept{.answer = answer, .asked_at = std::chrono::steady_clock::now(), .told = told});
  return answer;
}

}  // namespace evictd::web
