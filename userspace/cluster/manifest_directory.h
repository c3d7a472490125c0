// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/fd.h"
#include "cluster/manifest.h"
#include "evictd/result.h"

namespace evictd::cluster {

/// When a directory of manifests is first read.
enum class FirstReading {
  kAtOnce,  ///< By open().
  kLater,   ///< By the first refresh(): reading a thousand manifests takes as long as a whole start
            ///< may take.
};

struct ManifestDirectoryOptions {
  std::string path;
  ManifestKind kind = ManifestKind::kPods;
  FirstReading first_reading = FirstReading::kAtOnce;
};

/// The pods of one directory of manifests, kept up to date by inotify. It reads files that end in
/// .yaml, .yml or .json and skips names that begin with '.'. A file that cannot be read or parsed,
/// or is a directory, pipe or device, keeps its last pods. It is a problem until it is repaired or
/// removed. The same holds for the directory if it is removed: treating it as empty would make
/// every pod unknown. A directory that does not exist yet is a problem too, and has no pods. Thread
/// rule: housekeeping only.
class ManifestDirectory {
 public:
  /// Watches the directory, then reads it, now or later. Bad files, and a directory that does not
  /// exist or cannot be opened, are problems(), not errors. Errors: kExhausted if there are no
  /// inotify instances left.
  [[nodiscard]] static Result<ManifestDirectory> open(ManifestDirectoryOptions options);

  /// For an event loop: readable after something in the directory changed. Constant for the life of
  /// the object.
  [[nodiscard]] int fd() const { return inotify_.get(); }
  /// Reads what changed and retries what could not be read. Also detects that the path leads
  /// nowhere or to another directory, and opens a directory that was created again. fd() need not
  /// report a removal, so call it also after something appeared at the path or left it. Returns
  /// whether something was read, so that pods or problems may differ.
  [[nodiscard]] bool refresh();

  /// By file name, then in file order. Valid until the next refresh().
  [[nodiscard]] std::vector<const Manifest*> manifests() const;
  /// Why the directory or files are not up to date, one error each, naming file and line. Each says
  /// whether evictd continues with the pods of the last reading or without.
  [[nodiscard]] std::vector<Error> problems() const;
  /// Whether the directory was ever listed: until then its pods are unknown.
  [[nodiscard]] bool was_read() const { return !unread_; }
  [[nodiscard]] const ManifestDirectoryOptions& options() const { return options_; }

 private:
  struct File {
    std::vector<Manifest> manifests;
    std::optional<Error> problem;
  };
  /// The inotify events since the last read.
  struct Changes {
    std::set<std::string> names;
    /// Events were lost, or a symbolic link to the files changed.
    bool everything = false;
    bool directory_gone = false;
  };

  ManifestDirectory(ManifestDirectoryOptions options, base::Fd inotify)
      : options_(std::move(options)), inotify_(std::move(inotify)) {}

  [[nodiscard]] Result<> watch();
  [[nodiscard]] Changes take_changes();
  [[nodiscard]] bool reopen();
  [[nodiscard]] bool read_directory();
  [[nodiscard]] bool read_file(const std::string& name);

  ManifestDirectoryOptions options_;
  base::Fd inotify_;
  /// Empty while the directory does not exist.
  base::Fd directory_;
  int watch_ = -1;
  /// The directory was never listed.
  bool unread_ = true;
  std::map<std::string, File> files_;
  std::optional<Error> directory_problem_;
};

}  // namespace evictd::cluster
