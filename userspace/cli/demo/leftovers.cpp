// SPDX-License-Identifier: Apache-2.0
#include "demo/leftovers.h"

#include <utility>

#include "stage/private_tree.h"
#include "stage/scratch_directory.h"

namespace evictd::demo {
namespace {

constexpr const char* kProgram = "evict-load";

/// "evictd-demo-12" of ".../evictd-demo-12-x7Gh2k"; empty for a name that no demonstration uses.
std::string tree_name_of(const std::filesystem::path& directory, const std::string& prefix) {
  const std::string name = directory.filename().string();
  const std::size_t dash = name.find('-', prefix.size());
  const std::size_t digits = name.find_first_not_of("0123456789", prefix.size());
  return dash == digits && dash != std::string::npos && dash > prefix.size() ? name.substr(0, dash)
                                                                             : std::string();
}

/// Returns whether there were cgroups. Errors: those of PrivateTree::take_over() and clear().
Result<bool> remove_tree(const std::string& name) {
  // An earlier demonstration with that process id was told to keep them.
  if (stage::ScratchDirectory::list(name + "-").size() > 1) {
    return false;
  }
  Result<stage::PrivateTree> tree = stage::PrivateTree::take_over(name, kProgram);
  if (!tree) {
    return tree.error().code == Errc::kNotFound ? Result<bool>(false)
                                                : tl::unexpected(tree.error());
  }
  return tree->clear().map([] { return true; });
}

}  // namespace

void remove_leftovers(const std::string& prefix, const Narrator& say) {
  for (stage::ScratchDirectory& taken : stage::ScratchDirectory::take_abandoned(prefix)) {
    // Removed at the end of the iteration: the last of several with one process id removes the
    // cgroups.
    stage::ScratchDirectory left = std::move(taken);
    const std::string name = tree_name_of(left.path(), prefix);
    const Result<bool> removed = name.empty() ? Result<bool>(false) : remove_tree(name);
    if (name.empty() || !removed) {
      left.abandon();
      say("left alone: " + left.path().string() +
          (removed ? ": no name of a demonstration" : ": " + removed.error().message()));
      continue;
    }
    say("removed leftovers of a killed demonstration: " +
        (*removed ? "the cgroups /" + name + " and " : std::string()) + left.path().string());
  }
}

}  // namespace evictd::demo
