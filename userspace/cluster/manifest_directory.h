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

struct ManifestDirectoryOptions {
  std::string path;
  ManifestKind kind = ManifestKind::kPods;
};

/// The pods of one directory of manifests, kept up to date by inotify. Files that end in .yaml,
/// .yml or .json are read; names that begin with a '.' and directories are not. A file that cannot
/// be read or understood keeps the pods that it gave before, and is a problem until it is mended or
/// removed. So does the directory when it is removed itself: taking it for empty would make every
/// pod an unknown one. Thread rule: housekeeping only.
class ManifestDirectory {
 public:
  /// Watches the directory, then reads it. Bad files are problems(), not errors.
  /// Errors: kNotFound, kPermission or kIo, naming the directory; kExhausted out of inotify
  /// instances.
  [[nodiscard]] static Result<ManifestDirectory> open(ManifestDirectoryOptions options);

  /// For an event loop: readable when something in the directory changed. The same for the life of
  /// the object.
  [[nodiscard]] int fd() const { return inotify_.get(); }
  /// Reads what changed; also comes back to a directory that was removed and made anew, so call it
  /// at times even if fd() says nothing. True when something was read
  /// anew, so that pods or problems may be others than before.
  [[nodiscard]] bool refresh();

  /// By file name, then in the file's order. Valid until the next refresh().
  [[nodiscard]] std::vector<const Manifest*> manifests() const;
  /// Why the directory or files are not read as they are now, one each, naming file and line.
  [[nodiscard]] std::vector<Error> problems() const;
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
  /// Empty while the directory is gone.
  base::Fd directory_;
  int watch_ = -1;
  std::map<std::string, File> files_;
  std::optional<Error> directory_problem_;
};

}  // namespace evictd::cluster
