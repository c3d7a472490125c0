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

/// When a directory of manifests is read first.
enum class FirstReading {
  kAtOnce,  ///< By open().
  kLater,   ///< By the first refresh(): a thousand manifests take as long as a start may.
};

struct ManifestDirectoryOptions {
  std::string path;
  ManifestKind kind = ManifestKind::kPods;
  FirstReading first_reading = FirstReading::kAtOnce;
};

/// The pods of one directory of manifests, kept up to date by inotify. Files that end in .yaml,
/// .yml or .json are read; names that begin with a '.' are not. A file that cannot be read or
/// understood, or is a directory, pipe or device, keeps the pods that it gave before, and is a
/// problem until it is mended or removed. So does the directory when it is removed itself: taking
/// it for empty would make every pod an unknown one. One that is not there yet is a problem too,
/// and gives no pods. Thread rule: housekeeping only.
class ManifestDirectory {
 public:
  /// Watches the directory, then reads it, now or later. Bad files are problems(), not errors, and
  /// so is a directory that is not there or cannot be opened.
  /// Errors: kExhausted out of inotify instances.
  [[nodiscard]] static Result<ManifestDirectory> open(ManifestDirectoryOptions options);

  /// For an event loop: readable when something in the directory changed. The same for the life of
  /// the object.
  [[nodiscard]] int fd() const { return inotify_.get(); }
  /// Reads what changed. Also notices that the path leads nowhere or to another directory, and
  /// comes back to one that was made anew, so call it also when something came to the path or went
  /// from it: fd() need not tell of a removal. What could not be read is tried again. True when
  /// something was read anew, so that pods or problems may be others than before.
  [[nodiscard]] bool refresh();

  /// By file name, then in the file's order. Valid until the next refresh().
  [[nodiscard]] std::vector<const Manifest*> manifests() const;
  /// Why the directory or files are not read as they are now, one each, naming file and line, and
  /// whether it is gone on with the pods of the last reading or without.
  [[nodiscard]] std::vector<Error> problems() const;
  /// Whether it was ever listed: until then nobody knows which pods it tells of.
  [[nodiscard]] bool was_read() const { return !unread_; }
  [[nodiscard]] const ManifestDirectoryOptions& options() const { return options_; }

 private:
  struct File {
    std::vector<Manifest> manifests;
    std::optional<Error> problem;
  };
  /// What inotify told since it was asked last.
  struct Changes {
    std::set<std::string> names;
    /// Events were lost, or a link that files are reached by was changed.
    bool everything = false;
    bool directory_gone = false;
  };

  ManifestDirectory(ManifestDirectoryOptions options, base::Fd inotify)
      : options_(std::move(options)), inotify_(std::move(inotify)) {}

  [[nodiscard]] Result<> watch();
  [[nodiscard]] Changes take_changes();
  [[nodiscard]] bool come_back();
  [[nodiscard]] bool read_directory();
  [[nodiscard]] bool read_file(const std::string& name);

  ManifestDirectoryOptions options_;
  base::Fd inotify_;
  /// Empty while the directory is not there.
  base::Fd directory_;
  int watch_ = -1;
  /// It was never listed.
  bool unread_ = true;
  std::map<std::string, File> files_;
  std::optional<Error> directory_problem_;
};

}  // namespace evictd::cluster
