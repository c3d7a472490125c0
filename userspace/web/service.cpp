// SPDX-License-Identifier: Apache-2.0
#include "web/service.h"

#include <charconv>
#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "base/json_text.h"
#include "web/metrics.h"
#include "web/page_files.h"
#include "web/record_list.h"

namespace evictd::web {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kOk = 200;
constexpr int kBadRequest = 400;
constexpr int kUnauthorized = 401;
constexpr int kNotFound = 404;
constexpr int kUnavailable = 503;

/// Number of lines that a stream may go back.
constexpr std::size_t kKeptEvents = 4096;
constexpr std::size_t kKeptBytes = std::size_t{16} * 1024 * 1024;
/// Limit of streams at a time; the rest of HttpServer's connections stay free for requests.
constexpr std::size_t kMostStreams = 16;
/// A silent stream sends a comment at this interval, which detects a gone reader.
constexpr Duration kKeepAlive = std::chrono::seconds(15);
constexpr std::size_t kMostRecords = 256;

constexpr const char* kJson = "application/json";

/// Pod names are untrusted and may look like a script: only the page's own files may run.
constexpr const char* kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

void answer(httplib::Response& response, int status, const Json& body) {
  response.status = status;
  response.set_content(body.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n", kJson);
}

void refuse(httplib::Response& response, int status, const std::string& why) {
  answer(response, status, {{"error", why}});
}

void unavailable(httplib::Response& response, const Error& error) {
  refuse(response, kUnavailable, "evictd does not answer: " + error.message());
}

/// The number that all of `text` forms; nullopt for any other text.
std::optional<std::uint64_t> number_in(std::string_view text) {
  std::uint64_t number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc() && rest == text.data() + text.size() && !text.empty();
  return whole ? std::optional(number) : std::nullopt;
}

std::string message_of(const EventBuffer::Event& event) {
  return "id: " + std::to_string(event.seq) + "\ndata: " + event.line + "\n\n";
}

/// Counts a stream for as long as the library keeps its sender.
class StreamPlace {
 public:
  explicit StreamPlace(std::atomic<std::size_t>& streams) : streams_(streams) {}
  StreamPlace(const StreamPlace&) = delete;
  StreamPlace& operator=(const StreamPlace&) = delete;
  ~StreamPlace() { --streams_; }

 private:
  std::atomic<std::size_t>& streams_;
};

}  // namespace

Service::Service(Options options, HttpServer& server)
    : options_(std::move(options)),
      server_(server),
      token_(options_.token_file),
      client_(options_.control_socket),
      kube_client_(options_.kube_socket, "evictd-kube"),
      events_(kKeptEvents, kKeptBytes) {}

Result<std::unique_ptr<Service>> Service::start(Options options, HttpServer& server) {
  std::unique_ptr<Service> service(new Service(std::move(options), server));
  Result<std::unique_ptr<JournalFollower>> follower = JournalFollower::start(
      service->options_.control_socket, [&self = *service](std::uint64_t seq, std::string line) {
        const Json parsed = base::parse_json<Json>(line).value_or(Json());
        {
          const std::lock_guard lock(self.history_mutex_);
          self.history_.take(parsed);
        }
        // Before a reader learns of the line and asks for its effect.
        self.client_.invalidate();
        self.events_.add(seq, std::move(line));
      });
  if (!follower) {
    return Failure(follower.error());
  }
  service->follower_ = std::move(*follower);
  service->add_paths();
  service->add_page();
  return service;
}

void Service::add_paths() {
  using Handle = void (Service::*)(const Request&, Response&);
  const auto guarded = [this](Handle handle) {
    return [this, handle](const Request& request, Response& response) {
      if (let_in(request, response)) {
        (this->*handle)(request, response);
      }
    };
  };
  const auto plain = [this](void (Service::*handle)(Response&)) {
    return [this, handle](const Request& request, Response& response) {
      if (let_in(request, response)) {
        (this->*handle)(response);
      }
    };
  };
  server_.set_default_headers({{"X-Content-Type-Options", "nosniff"},
                               {"Referrer-Policy", "no-referrer"},
                               {"Cache-Control", "no-store"},
                               {"Content-Security-Policy", kPolicy}});
  // A prober has no token.
  server_.Get("/healthz", [](const Request&, Response& response) {
    response.set_content("ok\n", "text/plain");
  });
  server_.Get("/readyz", [this](const Request&, Response& response) { ready(response); });
  server_.Get("/metrics", plain(&Service::metrics));
  server_.Get("/api/v1/status", plain(&Service::status));
  server_.Get("/api/v1/records", guarded(&Service::records));
  server_.Get("/api/v1/records/([0-9]{1,20})", guarded(&Service::record));
  server_.Get("/api/v1/events", guarded(&Service::stream));
  server_.set_error_handler([](const Request& request, Response& response) {
    if (response.body.empty()) {
      refuse(response, response.status,
             response.status == kNotFound ? "no such path: " + request.path
                                          : "this request cannot be served");
    }
  });
  server_.set_exception_handler([](const Request&, Response& response, const std::exception_ptr&) {
    refuse(response, kUnavailable, "this request could not be served");
  });
}

void Service::add_page() {
  for (const PageFile& file : page_files()) {
    server_.Get(file.path, [&file](const Request&, Response& response) {
      response.set_content(file.text.data(), file.text.size(), file.type);
    });
  }
}

bool Service::let_in(const Request& request, Response& response) const {
  if (token_.allows(request.get_header_value("Authorization"))) {
    return true;
  }
  response.set_header("WWW-Authenticate", "Bearer");
  refuse(response, kUnauthorized, "needs the token: Authorization: Bearer TOKEN");
  return false;
}

void Service::metrics(Response& response) {
  const Result<EvictdClient::Answer> status = client_.ask("status");
  const bool asks_kube = !options_.kube_socket.empty();
  const Result<EvictdClient::Answer> kube =
      asks_kube ? kube_client_.ask("status") : Result<EvictdClient::Answer>(nullptr);
  const std::lock_guard lock(history_mutex_);
  response.set_content(exposition(make_metrics({.status = status ? status->get() : nullptr,
                                                .history = &history_,
                                                .asks_kube = asks_kube,
                                                .kube_status = kube ? kube->get() : nullptr,
                                                .version = options_.version,
                                                .following = follower_->connected(),
                                                .pods = options_.pod_metrics,
                                                .rejected_connections = server_.rejected()})),
                       "text/plain; version=0.0.4; charset=utf-8");
}

void Service::ready(Response& response) {
  const Result<EvictdClient::Answer> status = client_.ask("status");
  const std::string why =
      status ? not_ready_because(**status, options_.ready_requires) : status.error().message();
  response.status = why.empty() ? kOk : kUnavailable;
  response.set_content(why.empty() ? "ok\n" : why + "\n", "text/plain");
}

void Service::status(Response& response) {
  const Result<EvictdClient::Answer> status = client_.ask("status");
  if (!status) {
    unavailable(response, status.error());
    return;
  }
  answer(response, kOk, **status);
}

void Service::records(const Request& request, Response& response) {
  RecordQuery query;
  if (request.has_param("limit")) {
    const std::optional<std::uint64_t> limit = number_in(request.get_param_value("limit"));
    if (!limit || *limit < 1 || *limit > kMostRecords) {
      refuse(response, kBadRequest,
             "limit: not allowed; allowed: 1 to " + std::to_string(kMostRecords));
      return;
    }
    query.limit = *limit;
  }
  query.outcomes = request.get_param_value("outcome");
  const Result<EvictdClient::Answer> known = client_.ask("records");
  if (!known) {
    unavailable(response, known.error());
    return;
  }
  answer(response, kOk, {{"records", list_records(**known, query)}});
}

void Service::record(const Request& request, Response& response) {
  const std::optional<std::uint64_t> id = number_in(request.matches[1].str());
  const Result<EvictdClient::Answer> known = client_.ask("records");
  if (!known) {
    unavailable(response, known.error());
    return;
  }
  const Json found = id ? find_record(**known, *id) : Json(nullptr);
  if (found.is_null()) {
    refuse(response, kNotFound, "evictd's memory has no record " + request.matches[1].str());
    return;
  }
  answer(response, kOk, found);
}

void Service::stream(const Request& request, Response& response) {
  std::string from = request.get_header_value("Last-Event-ID");
  if (from.empty()) {
    from = request.get_param_value("after");
  }
  const std::optional<std::uint64_t> after = from.empty() ? events_.newest() : number_in(from);
  if (!after) {
    refuse(response, kBadRequest, "Last-Event-ID: not allowed; allowed: the id of an event");
    return;
  }
  if (++streams_ > kMostStreams) {
    --streams_;
    refuse(response, kUnavailable,
           "at most " + std::to_string(kMostStreams) + " streams may be open");
    return;
  }
  const auto place = std::make_shared<StreamPlace>(streams_);
  response.set_header("X-Accel-Buffering", "no");
  response.set_chunked_content_provider(
      "text/event-stream",
      [this, place, seq = *after](std::size_t offset, httplib::DataSink& sink) mutable {
        // Sends the first piece at once, so that the client sees an open stream.
        const EventBuffer::Events next =
            offset == 0 ? events_.beyond(seq) : events_.wait_beyond(seq, kKeepAlive);
        if (events_.closed()) {
          sink.done();
          return true;
        }
        std::string text = next.skipped ? "event: skipped\ndata: {}\n\n" : "";
        for (const EventBuffer::Event& event : next.events) {
          text += message_of(event);
          seq = event.seq;
        }
        if (text.empty()) {
          text = ": nothing yet\n\n";
        }
        return sink.write(text.data(), text.size());
      });
}

}  // namespace evictd::web
