// SPDX-License-Identifier: Apache-2.0
#include "oom_race/rival.h"

#include <chrono>
#include <nlohmann/json.hpp>
#include <utility>

#include "evictd/try.h"
#include "stage/text_file.h"

namespace evictd::bench {
namespace {

constexpr std::chrono::seconds kReadyDeadline{60};
/// Interval between two reads of a rival's output.
constexpr std::chrono::milliseconds kLook{20};

/// How one rival is started.
struct Recipe {
  std::vector<std::string> argv;
  std::vector<std::string> environment;
  /// The output that shows that it runs.
  std::string ready;
};

/// nohang's own file with replaced thresholds and periods.
Result<std::string> nohang_settings() {
  EVICTD_ASSIGN_OR_RETURN(std::string text, stage::read_text("/etc/nohang/nohang.conf"));
  const std::pair<const char*, const char*> changes[] = {{"soft_threshold_min_mem", "10 %"},
                                                         {"hard_threshold_min_mem", "5 %"},
                                                         {"soft_threshold_min_swap", "99 %"},
                                                         {"hard_threshold_min_swap", "98 %"},
                                                         {"max_sleep", "0.5"},
                                                         {"min_sleep", "0.05"},
                                                         {"post_soft_action_delay", "0.1"},
                                                         {"max_soft_exit_time", "0.1"}};
  for (const auto& [key, value] : changes) {
    const std::size_t line = text.find("\n" + std::string{key} + " ");
    if (line == std::string::npos) {
      return fail(Errc::kUnsupported, std::string{"nohang.conf has no "} + key);
    }
    const std::size_t end = text.find('\n', line + 1);
    text.replace(line, end - line, "\n" + std::string{key} + " = " + value);
  }
  return text;
}

/// Best-effort pods only: the setting that an operator would give a program without knowledge of
/// pods.
std::string oomd_settings(const stage::PrivateTree& tree) {
  const std::string pods = tree.cgroup_root().substr(1) + "/kubepods/besteffort/*";
  const nlohmann::json detector = {
      {"name", "memory_above"},
      {"args", {{"cgroup", "/"}, {"threshold", "85%"}, {"duration", "0"}}}};
  const nlohmann::json action = {{"name", "kill_by_memory_size_or_growth"},
                                 {"args", {{"cgroup", pods}, {"post_action_delay", "0"}}}};
  nlohmann::json ruleset = {{"name", "memory"}, {"actions", {action}}};
  ruleset["detectors"] = nlohmann::json::array({nlohmann::json::array({"short", detector})});
  return nlohmann::json{{"rulesets", nlohmann::json::array({ruleset})}}.dump(2);
}

constexpr const char* kSystemdOomdSettings =
    "[OOM]\nSwapUsedLimit=10%\nDefaultMemoryPressureLimit=5%\n"
    "DefaultMemoryPressureDurationSec=1s\n";

Result<Recipe> recipe_of(Racer racer, const stage::PrivateTree& tree,
                         const std::filesystem::path& directory) {
  const std::filesystem::path settings = directory / (std::string{name_of(racer)} + ".conf");
  if (racer == Racer::kEarlyoom) {
    return Recipe{
        {"/usr/bin/earlyoom", "-m", "10,5", "-s", "100,100", "-r", "0"}, {}, "SIGKILL when"};
  }
  if (racer == Racer::kNohang) {
    const Result<std::string> text = nohang_settings();
    EVICTD_TRY(text ? stage::replace_file(settings, *text) : tl::unexpected(text.error()));
    return Recipe{
        {"/usr/sbin/nohang", "--monitor", "--config", settings}, {}, "Monitoring has started"};
  }
  if (racer == Racer::kOomd) {
    EVICTD_TRY(stage::replace_file(settings, oomd_settings(tree)));
    return Recipe{{"/usr/bin/oomd", "--interval", "1", "--config", settings}, {}, "Running oomd"};
  }
  std::error_code ignored;
  std::filesystem::create_directories("/run/systemd/oomd.conf.d", ignored);
  EVICTD_TRY(stage::replace_file("/run/systemd/oomd.conf.d/90-race.conf", kSystemdOomdSettings));
  return Recipe{{"/lib/systemd/systemd-oomd"}, {"SYSTEMD_LOG_LEVEL=debug"}, "Sending message"};
}

Result<> await_ready(stage::Child& child, const std::filesystem::path& output,
                     const std::string& ready) {
  const auto deadline = std::chrono::steady_clock::now() + kReadyDeadline;
  for (;;) {
    const std::string said = stage::read_text(output).value_or(std::string{});
    if (said.find(ready) != std::string::npos) {
      return {};
    }
    if (const Result<stage::ChildExit> end = child.wait(kLook); end) {
      return fail(Errc::kIo, "it ended with " + end->text() + ": " + said);
    }
    if (std::chrono::steady_clock::now() > deadline) {
      return fail(Errc::kTimedOut, "it does not say that it runs: " + said);
    }
  }
}

std::filesystem::path program_of(Racer racer) {
  switch (racer) {
    case Racer::kEarlyoom:
      return "/usr/bin/earlyoom";
    case Racer::kNohang:
      return "/usr/sbin/nohang";
    case Racer::kOomd:
      return "/usr/bin/oomd";
    case Racer::kSystemdOomd:
      return "/lib/systemd/systemd-oomd";
    case Racer::kEvictd:
    case Racer::kEvictdGrace:
    case Racer::kEvictdBridge:
    case Racer::kEvictdKubelet:
    case Racer::kEvictdKubeletGrace:
    case Racer::kEvictdPoll:
      break;
  }
  return {};
}

}  // namespace

bool is_installed(Racer racer) {
  std::error_code ignored;
  return is_evictd(racer) || std::filesystem::exists(program_of(racer), ignored);
}

Rival::Rival(std::optional<ManagedOom> manager, std::optional<ProtectedCgroup> home,
             stage::Child child)
    : manager_(std::move(manager)), home_(std::move(home)), child_(std::move(child)) {}

Result<Rival> Rival::start(Racer racer, const stage::PrivateTree& tree,
                           const std::filesystem::path& directory) {
  EVICTD_ASSIGN_OR_RETURN(const Recipe recipe, recipe_of(racer, tree, directory));
  std::optional<ManagedOom> manager;
  if (racer == Racer::kSystemdOomd) {
    EVICTD_ASSIGN_OR_RETURN(ManagedOom made,
                            ManagedOom::start(tree.cgroup_root() + "/kubepods/besteffort"));
    manager.emplace(std::move(made));
  }
  std::optional<ProtectedCgroup> home;
  if (const std::optional<Protection> protection = protection_of(racer); protection) {
    // Beside the tree, as a service is beside the pods.
    EVICTD_ASSIGN_OR_RETURN(
        ProtectedCgroup made,
        ProtectedCgroup::create(tree.hierarchies().memory / (tree.cgroup_root().substr(1) + "-" +
                                                             std::string{name_of(racer)}),
                                *protection));
    home.emplace(std::move(made));
  }
  const std::filesystem::path output = directory / (std::string{name_of(racer)} + ".log");
  std::error_code ignored;
  std::filesystem::remove(output, ignored);
  EVICTD_ASSIGN_OR_RETURN(
      stage::Child child,
      stage::Child::start({.argv = home ? entering(home->processes(), recipe.argv) : recipe.argv,
                           .environment = recipe.environment,
                           .output = output}));
  EVICTD_TRY(await_ready(child, output, recipe.ready));
  if (manager) {
    EVICTD_TRY(manager->tell(kReadyDeadline));
  }
  return Rival{std::move(manager), std::move(home), std::move(child)};
}

}  // namespace evictd::bench
