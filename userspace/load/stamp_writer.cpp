// SPDX-License-Identifier: Apache-2.0
#include "load/stamp_writer.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <ctime>
#include <utility>

#include "evictd/try.h"

namespace evictd::load {

namespace {

template <typename T>
void publish(T& field, T value) {
  __atomic_store_n(&field, value, __ATOMIC_RELEASE);
}

}  // namespace

std::uint64_t now_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(now.tv_nsec);
}

Result<StampWriter> StampWriter::create(const Options& options) {
  StampWriter writer;
  if (!options.usage_file.empty()) {
    writer.usage_ = base::Fd(::open(options.usage_file.c_str(), O_RDONLY | O_CLOEXEC));
    if (!writer.usage_) {
      return fail_errno(errno, "open " + options.usage_file);
    }
  }
  if (!options.path.empty()) {
    EVICTD_TRY(writer.map(options));
  }
  return writer;
}

Result<> StampWriter::map(const Options& options) {
  const base::Fd file(::open(options.path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (!file) {
    return fail_errno(errno, "create " + options.path);
  }
  bytes_ = sizeof(LoadStampHeader) + options.capacity * sizeof(LoadStamp);
  // Allocated now: a later write to a hole of a full filesystem would be a SIGBUS.
  if (const int failed = ::posix_fallocate(file.get(), 0, static_cast<off_t>(bytes_))) {
    return fail_errno(failed, "allocate " + options.path);
  }
  void* map =
      ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, file.get(), 0);
  if (map == MAP_FAILED) {
    return fail_errno(errno, "map " + options.path);
  }
  header_ = static_cast<LoadStampHeader*>(map);
  entries_ = reinterpret_cast<LoadStamp*>(header_ + 1);
  LoadStampHeader header;
  header.magic = 0;
  header.header_bytes = sizeof(LoadStampHeader);
  header.pid = ::getpid();
  header.kind = static_cast<std::uint32_t>(options.kind);
  header.batch = options.batch;
  header.page_bytes = options.page_bytes;
  header.capacity = options.capacity;
  *header_ = header;
  publish(header_->magic, kStampMagic);
  return {};
}

StampWriter::StampWriter(StampWriter&& other) noexcept {
  *this = std::move(other);
}

StampWriter& StampWriter::operator=(StampWriter&& other) noexcept {
  std::swap(header_, other.header_);
  std::swap(entries_, other.entries_);
  std::swap(bytes_, other.bytes_);
  std::swap(usage_, other.usage_);
  return *this;
}

StampWriter::~StampWriter() {
  if (header_ != nullptr) {
    ::munmap(header_, bytes_);
  }
}

void StampWriter::set_state(LoadState state) {
  if (header_ != nullptr) {
    publish(header_->state, static_cast<std::uint32_t>(state));
  }
}

void StampWriter::add(std::uint64_t start_ns, std::uint64_t end_ns, std::uint64_t total) {
  if (header_ == nullptr) {
    return;
  }
  const std::uint64_t count = header_->count;
  if (count == 0) {
    publish(header_->started_ns, start_ns);
  }
  entries_[count % header_->capacity] =
      LoadStamp{.start_ns = start_ns, .end_ns = end_ns, .total = total, .usage = read_usage()};
  publish(header_->count, count + 1);
}

void StampWriter::add_refused() {
  if (header_ != nullptr) {
    publish(header_->refused, header_->refused + 1);
  }
}

void StampWriter::add_refused_untold() {
  if (header_ != nullptr) {
    publish(header_->refused_untold, header_->refused_untold + 1);
  }
}

std::int64_t StampWriter::read_usage() const {
  if (!usage_) {
    return -1;
  }
  std::array<char, 32> text{};
  const ssize_t length = ::pread(usage_.get(), text.data(), text.size(), 0);
  std::int64_t value = -1;
  if (length > 0) {
    std::from_chars(text.data(), text.data() + length, value);
  }
  return value;
}

}  // namespace evictd::load
