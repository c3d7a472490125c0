// SPDX-License-Identifier: Apache-2.0
#include <pthread.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <csignal>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include "base/one_line.h"
#include "command_line/option_problem.h"
#include "evictd/try.h"
#include "web/http_server.h"
#include "web/listen_address.h"
#include "web/service.h"
#include "web/tls.h"

namespace {

using namespace evictd;

constexpr int kExitFailed = 1;
constexpr int kExitUsage = 2;

struct CommandLine {
  web::Service::Options service{.control_socket = "/run/evictd/control.sock",
                                .kube_socket = {},
                                .token_file = {},
                                .ready_requires = web::ReadyRequires::kAny,
                                .pod_metrics = 0,
                                .version = EVICTD_VERSION};
  std::string listen = "127.0.0.1:9879";
  std::string certificate;
  std::string key;
};

void complain(const std::string& what) {
  std::cerr << "evictd-web: " << base::one_line(what) << '\n';
}

/// Serves until SIGTERM or SIGINT. Every thread must have blocked both.
Result<> serve(web::HttpServer& server, web::Service& service) {
  std::thread ends([&] {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGUSR1);
    int which = 0;
    sigwait(&signals, &which);
    service.end_streams();
    server.end();
  });
  const bool told = server.serve();
  if (!told) {
    // Wakes the thread, which waits for a signal.
    pthread_kill(ends.native_handle(), SIGUSR1);
  }
  ends.join();
  return told ? Result<>() : fail(Errc::kIo, "connections can no longer be accepted");
}

Result<> run(const CommandLine& line) {
  EVICTD_ASSIGN_OR_RETURN(const web::ListenAddress address,
                          EVICTD_IN("--listen", web::parse_listen_address(line.listen)));
  EVICTD_TRY(EVICTD_IN("--token-file", web::TokenFile(line.service.token_file).check()));
  web::SslContext tls;
  if (!line.certificate.empty()) {
    EVICTD_ASSIGN_OR_RETURN(tls, web::make_tls(line.certificate, line.key));
  }
  EVICTD_ASSIGN_OR_RETURN(base::Fd listener, web::listen_at(address));
  EVICTD_ASSIGN_OR_RETURN(base::WakeUp stop, base::WakeUp::create());
  const std::string shown = web::shown_address(address, listener, tls != nullptr);
  web::HttpServer server(std::move(listener), std::move(tls), std::move(stop));
  EVICTD_ASSIGN_OR_RETURN(const std::unique_ptr<web::Service> service,
                          web::Service::start(line.service, server));
  std::cerr << "evictd-web " << line.service.version << " listens at " << shown << '\n';
  return serve(server, *service);
}

void add_options(CLI::App& app, CommandLine& line) {
  app.add_option("--socket", line.service.control_socket, "evictd's control socket")
      ->capture_default_str();
  app.add_option("--kube-socket", line.service.kube_socket,
                 "evictd-kube's status socket, for its metrics (default: none)");
  app.add_option("--listen", line.listen, "ADDRESS:PORT, or unix:PATH")->capture_default_str();
  CLI::Option* certificate =
      app.add_option("--tls-cert", line.certificate, "serve TLS with this certificate chain (PEM)");
  CLI::Option* key = app.add_option("--tls-key", line.key, "the certificate's key (PEM)");
  certificate->needs(key);
  key->needs(certificate);
  app.add_option("--token-file", line.service.token_file,
                 "require the token in the first line of this file");
  app.add_option("--pod-metrics", line.service.pod_metrics,
                 "number of pods with metrics, by memory rank (default 0, at most 1000)")
      ->check(CLI::Range(0, 1000));
  app.add_option("--ready-requires", line.service.ready_requires,
                 "what /readyz requires: any (default) or bpf, the kernel side")
      ->type_name("bpf|any")
      ->transform(CLI::CheckedTransformer(
                      std::map<std::string, web::ReadyRequires>{{"bpf", web::ReadyRequires::kBpf},
                                                                {"any", web::ReadyRequires::kAny}})
                      .description(""));
  app.set_version_flag("--version", std::string("evictd-web ") + EVICTD_VERSION);
}

int run_program(int argc, char** argv) {
  CLI::App app(
      "evictd-web shows over HTTP what evictd does: metrics for Prometheus, an API, and a page. It "
      "only reads evictd's control socket, and with --kube-socket evictd-kube's status socket, "
      "and needs no privilege.",
      "evictd-web");
  CommandLine line;
  add_options(app, line);
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (const std::string problem = command_line::option_problem(app, arguments); !problem.empty()) {
    complain(problem);
    return kExitUsage;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kExitUsage;
  }
  // Before any thread is created, so that all of them inherit it.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  if (const Result<> ended = run(line); !ended) {
    complain(ended.error().message());
    return kExitFailed;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run_program(argc, argv);
  } catch (const std::exception& error) {
    complain(error.what());
    return kExitFailed;
  }
}
