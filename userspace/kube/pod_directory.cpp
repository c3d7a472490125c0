// SPDX-License-Identifier: Apache-2.0
#include "kube/pod_directory.h"

#include <utility>

namespace evictd::kube {

namespace {

/// Minimum distance of two touches of the mark, each of which wakes evictd: a busy watch confirms
/// continuously.
constexpr Duration kTouchInterval = std::chrono::seconds(1);

}  // namespace

PodDirectory::PodDirectory(Options options, ManifestWriter writer)
    : options_(std::move(options)), writer_(std::move(writer)), pods_(options_.max_pods) {
  for (PodDocument& document : writer_.read_all()) {
    pods_.adopt(std::move(document));
  }
}

void PodDirectory::on_list(std::vector<PodDocument> pods, MonoTime now) {
  has_failed_ = false;
  problem_.clear();
  carry_out(pods_.take_list(std::move(pods), options_.absence, now));
}

void PodDirectory::on_pod(PodDocument pod) {
  carry_out(pods_.take_pod(std::move(pod)));
}

void PodDirectory::on_deleted(const std::string& uid) {
  carry_out(pods_.take_deleted(uid));
}

void PodDirectory::on_confirmed(MonoTime now) {
  if (has_failed_ || (confirmed_at_ && now - *confirmed_at_ < kTouchInterval)) {
    return;
  }
  if (const Result<> touched = writer_.confirm(); !touched) {
    problem_ = touched.error().message();
    return;
  }
  confirmed_at_ = now;
}

void PodDirectory::carry_out(const ManifestChanges& changes) {
  if (changes.refused != 0) {
    counters_.refused_documents += changes.refused;
    problem_ = changes.first_refusal;
  }
  bool has_failed = false;
  for (const PodDocument& document : changes.write) {
    if (const Result<> written = writer_.write(document); !written) {
      problem_ = written.error().message();
      pods_.forget_text(document.uid);
      has_failed = true;
    }
  }
  for (const std::string& uid : changes.remove) {
    if (const Result<> removed = writer_.remove(uid); !removed) {
      problem_ = removed.error().message();
      // Known again, so that the next list without it removes the manifest.
      pods_.adopt({.uid = uid, .text = ""});
      has_failed = true;
    }
  }
  if (has_failed) {
    has_failed_ = true;
    options_.on_write_failed();
  }
}

}  // namespace evictd::kube
