// SPDX-License-Identifier: Apache-2.0
#include "audit.h"

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <set>

#include "evictd/try.h"
#include "harness/interrupt.h"
#include "poll/cross_check.h"
#include "process_facts.h"
#include "stage/text_file.h"

namespace evictd::churn {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr int kLookMs = 50;

/// What memory may grow by: records of 128 evictions and of as many passes, and 4 MiB of journal
/// (docs/records.md) fill up in the beginning, and an allocator keeps some of what it was given.
constexpr Bytes kFillingUp{std::int64_t{16} << 20};
/// Once they are full.
constexpr Bytes kSlack{std::int64_t{4} << 20};
/// Of the journal in memory.
constexpr std::size_t kJournalLines = 2048;

std::string number(std::int64_t value) {
  return std::to_string(value);
}

/// Of the object `counters[name]` by kind of event.
std::uint64_t sum_of(const Json& kinds) {
  std::uint64_t sum = 0;
  for (const Json& count : kinds) {
    sum += count.get<std::uint64_t>();
  }
  return sum;
}

template <std::size_t N>
std::uint64_t sum_of(const __u64 (&kinds)[N]) {
  std::uint64_t sum = 0;
  for (const __u64 count : kinds) {
    sum += count;
  }
  return sum;
}

/// The number that a cgroup file holds; -1 if it cannot be read.
std::int64_t read_number(const fs::path& file) {
  const Result<std::string> text = stage::read_text(file);
  return text ? stage::parse_number(*text).value_or(-1) : -1;
}

std::uint64_t id_of(const fs::path& directory) {
  struct stat status {};
  return ::stat(directory.c_str(), &status) == 0 ? status.st_ino : 0;
}

/// Directories below `top`, without it.
std::size_t directories_below(const fs::path& top) {
  std::size_t count = 0;
  std::error_code ignored;
  for (fs::recursive_directory_iterator entry{top, ignored}, end; entry != end;
       entry.increment(ignored)) {
    count += entry->is_directory(ignored) ? 1 : 0;
  }
  return count;
}

/// "usage of X is 1 in the table and 2 in the files".
void expect_near(const std::string& what, std::int64_t table, std::int64_t files,
                 std::int64_t bound, std::vector<std::string>& found) {
  if (files < 0 || std::abs(table - files) > bound) {
    found.push_back(what + " is " + number(table) + " in evictd's table and " + number(files) +
                    " in the cgroup files, which may be " + number(bound) + " apart");
  }
}

/// What the two may differ by, of usage and of inactive file cache, when nothing moves.
struct Bounds {
  std::int64_t usage;
  std::int64_t inactive_file;
};

Bounds bounds_of(unsigned stock_pages) {
  poll::ErrorBounds bounds;
  bounds.cpus = static_cast<unsigned>(::sysconf(_SC_NPROCESSORS_ONLN));
  bounds.page_size = Bytes{::sysconf(_SC_PAGESIZE)};
  bounds.stock_pages = stock_pages;
  const poll::CrossReadings still{
      .before = {.usage = Bytes{0}, .inactive_file = Bytes{0}, .tasks = 0},
      .files = {.usage = Bytes{0}, .inactive_file = Bytes{0}, .tasks = 0},
      .after = {.usage = Bytes{0}, .inactive_file = Bytes{0}, .tasks = 0}};
  const poll::CrossCheck check = poll::cross_check(still, bounds);
  return {check.usage.bound, check.inactive_file.bound};
}

}  // namespace

bool Audit::judges_memory() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return false;  // As gcc says it.
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  return false;  // As clang says it.
#else
  return true;
#endif
#else
  return true;
#endif
}

void Audit::compare_status(const Json& status, Complaints& found) const {
  std::set<std::string> expected;
  for (const stage::StagedPod& pod : floor_.pods()) {
    expected.insert(pod.uid);
  }
  std::set<std::string> listed;
  for (const Json& pod : status["pods"]) {
    listed.insert(pod["uid"].get<std::string>());
  }
  if (listed != expected) {
    found.push_back("status lists " + number(static_cast<std::int64_t>(listed.size())) +
                    " pods where there are " + number(static_cast<std::int64_t>(expected.size())));
  }
  const Json& counters = status["counters"];
  if (counters["evictions"] != floor_.ledger().evictions()) {
    found.push_back("evictd counts " + counters["evictions"].dump() + " evictions and recorded " +
                    std::to_string(floor_.ledger().evictions()));
  }
  if (counters.contains("cross_check_disagreements") &&
      counters["cross_check_disagreements"] != 0) {
    found.push_back("cross-checks disagreed: " + counters["cross_check_disagreements"].dump());
  }
  if (status["records"]["lost"] != 0 || status["records"]["in_memory_only"] != false) {
    found.push_back("records were not written: " + status["records"].dump());
  }
  if (!status["problems"].empty()) {
    found.push_back("evictd has problems with manifests: " + status["problems"].dump());
  }
}

Result<> Audit::compare_kernel(const Json& status, Complaints& found) {
  if (floor_.source() == EventSource::kPoll) {
    return {};
  }
  if (!tables_) {
    EVICTD_ASSIGN_OR_RETURN(KernelTables tables, KernelTables::of(floor_.daemon().pid()));
    tables_.emplace(std::move(tables));
  }
  const Result<evictd_stats> stats = tables_->stats();
  Result<std::map<std::string, std::size_t>> entries = tables_->entries();
  const Result<std::map<std::uint64_t, WatchedSlot>> slots = tables_->slots();
  if (!stats || !entries || !slots) {
    return tl::unexpected(!stats ? stats.error() : !entries ? entries.error() : slots.error());
  }
  last_.entries = std::move(*entries);
  last_.emitted = sum_of(stats->emitted);
  last_.dropped = sum_of(stats->dropped);
  const Json& kernel = status["counters"]["kernel"];
  const std::uint64_t delivered = sum_of(kernel["delivered"]);
  const std::uint64_t told = sum_of(kernel["dropped"]);
  if (last_.emitted != delivered + told || last_.dropped != told || kernel["malformed"] != 0) {
    found.push_back("the kernel side emitted " + std::to_string(last_.emitted) + " and dropped " +
                    std::to_string(last_.dropped) + "; evictd tells of " + kernel.dump());
  }
  compare_slots(*slots, found);
  compare_entries(found);
  return {};
}

void Audit::compare_slots(const std::map<std::uint64_t, WatchedSlot>& slots,
                          Complaints& found) const {
  const stage::Hierarchies& at = floor_.tree().hierarchies();
  struct Watched {
    fs::path memory;
    fs::path pids;
    unsigned stock_pages;
  };
  std::vector<Watched> expected{{floor_.tree().memory_directory(), floor_.tree().pids_directory(),
                                 poll::kAncestorStockPages}};
  for (const stage::StagedPod& pod : floor_.pods()) {
    expected.push_back({at.memory / pod.pod, at.pids / pod.pod, poll::kPodStockPages});
  }
  if (slots.size() != expected.size()) {
    found.push_back("the table has " + std::to_string(slots.size()) + " cgroups where " +
                    std::to_string(expected.size()) + " are watched");
  }
  for (const Watched& watched : expected) {
    const std::string name = watched.memory.filename().string();
    const auto slot = slots.find(id_of(watched.memory));
    if (slot == slots.end()) {
      found.push_back("the table does not have " + name);
      continue;
    }
    const evictd_row& row = slot->second.row;
    const Bounds bounds = bounds_of(watched.stock_pages);
    const Result<std::string> stat = stage::read_text(watched.memory / "memory.stat");
    const char* key = at.unified() ? "inactive_file" : "total_inactive_file";
    const std::int64_t inactive =
        stat ? stage::number_after(*stat, key).value_or(-1) : std::int64_t{-1};
    expect_near("usage of " + name, static_cast<std::int64_t>(row.usage_bytes),
                read_number(watched.memory / at.usage_file()), bounds.usage, found);
    expect_near("inactive file cache of " + name,
                static_cast<std::int64_t>(row.inactive_file_bytes), inactive, bounds.inactive_file,
                found);
    expect_near("the number of tasks of " + name, static_cast<std::int64_t>(row.tasks),
                read_number(watched.pids / "pids.current"), 0, found);
  }
}

void Audit::compare_entries(Complaints& found) const {
  if (!first_) {
    return;
  }
  for (const auto& [name, count] : last_.entries) {
    const auto before = first_->entries.find(name);
    if (before == first_->entries.end() || count > before->second) {
      found.push_back("BPF map " + name + " has " + std::to_string(count) + " entries; it had " +
                      std::to_string(before == first_->entries.end() ? 0 : before->second));
    }
  }
}

void Audit::compare_cgroups(Complaints& found) const {
  // burstable and besteffort; of each pod its own cgroup and one container.
  const std::size_t expected = 2 + 2 * floor_.pods().size();
  for (const fs::path& root : {floor_.tree().memory_directory(), floor_.tree().pids_directory()}) {
    const std::size_t there = directories_below(root);
    if (there != expected) {
      found.push_back(std::to_string(there) + " cgroups are below " + root.string() + " where " +
                      std::to_string(expected) + " should be");
    }
  }
}

Result<> Audit::compare_process(Complaints& found) {
  const pid_t evictd = floor_.daemon().pid();
  const Result<Bytes> resident = resident_memory(evictd);
  const Result<std::size_t> descriptors = open_descriptors(evictd);
  if (!resident || !descriptors) {
    return tl::unexpected(!resident ? resident.error() : descriptors.error());
  }
  last_.resident = *resident;
  last_.descriptors = *descriptors;
  if (!first_) {
    return {};
  }
  if (*descriptors > first_->descriptors) {
    found.push_back("evictd has " + std::to_string(*descriptors) + " descriptors open; it had " +
                    std::to_string(first_->descriptors));
  }
  const Bytes most = full_ ? *full_ + kSlack : first_->resident + kFillingUp;
  if (judges_memory() && *resident > most) {
    found.push_back("evictd has " + number(resident->value) + " bytes in memory, more than " +
                    number(most.value));
  }
  return {};
}

Result<Audit::Complaints> Audit::look() {
  Complaints found = floor_.ledger().complaints();
  EVICTD_ASSIGN_OR_RETURN(
      const std::string answer,
      EVICTD_IN("ask evictd for its status", floor_.daemon().ask(R"({"op":"status"})")));
  const Json status = Json::parse(answer, nullptr, false);
  if (!status.is_object() || !status.contains("counters")) {
    return fail(Errc::kMalformed, "evictd's status is " + answer.substr(0, 300));
  }
  if (const std::uint64_t missed = floor_.witness().missed(); missed > 0) {
    found.push_back("the witness had no room for " + std::to_string(missed) + " signals");
  }
  compare_status(status, found);
  compare_cgroups(found);
  Result<> done = compare_kernel(status, found);
  if (done) {
    done = compare_process(found);
  }
  return done ? Result<Complaints>(std::move(found)) : tl::unexpected(done.error());
}

Result<Audit::Complaints> Audit::run(Floor& floor) {
  const auto deadline = std::chrono::steady_clock::now() + patience_;
  for (;;) {
    EVICTD_TRY(floor.read_records());
    Result<Complaints> found = look();
    const bool settled = found && found->empty();
    if (settled && !first_) {
      first_ = last_;
    }
    if (settled && !full_ && floor_.ledger().lines() >= kJournalLines) {
      full_ = last_.resident;
    }
    if (!found || settled || bench::Interrupt::requested() ||
        std::chrono::steady_clock::now() > deadline) {
      return found;
    }
    pollfd daemon{floor_.daemon().pidfd(), POLLIN, 0};
    if (::poll(&daemon, 1, kLookMs) > 0) {
      return fail(Errc::kIo, "evictd has ended");
    }
  }
}

}  // namespace evictd::churn
