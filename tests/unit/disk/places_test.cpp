// SPDX-License-Identifier: Apache-2.0
#include "disk/places.h"

#include <gtest/gtest.h>

#include <map>

namespace evictd::disk {
namespace {

/// A root disk, a disk for the kubelet, one for images, and a bind mount that hides a part of it.
constexpr std::string_view kMounts =
    "1 0 8:1 / / rw - ext4 /dev/sda1 rw\n"
    "2 1 8:2 / /var/lib/kubelet rw - xfs /dev/sdb rw\n"
    "3 1 8:3 / /data/images rw - ext4 /dev/sdc rw\n"
    "4 1 0:40 / /var/lib/kubelet/pods/u/volumes/kubernetes.io~empty-dir/m rw - tmpfs tmpfs rw\n";

struct Node {
  std::vector<sys::Mount> mounts = sys::parse_mounts(kMounts);
  /// What exists, and what it is without symbolic links.
  std::map<std::string, std::string> real{{"/var/lib/kubelet", "/var/lib/kubelet"}};
  PlaceOptions options{.node_fs_path = {},
                       .image_fs_path = {},
                       .container_fs_path = {},
                       .kubelet_root_directory = "/var/lib/kubelet",
                       .container_runtime_roots = {"/var/lib/containerd", "/var/lib/docker"}};

  [[nodiscard]] Places places() const {
    return find_places(options, {.mounts = mounts, .resolve = [this](const std::string& path) {
                                   const auto found = real.find(path);
                                   return found == real.end() ? std::optional<std::string>()
                                                              : std::optional(found->second);
                                 }});
  }
};

const Place& at(const Places& places, Role role) {
  return places[static_cast<std::size_t>(role)];
}

TEST(DiskPlaces, WithoutARuntimeAllIsOneFilesystem) {
  const Places places = Node{}.places();
  for (const Role role : kAllRoles) {
    EXPECT_EQ(at(places, role).mount_point, "/var/lib/kubelet");
    EXPECT_EQ(at(places, role).device, "8:2");
    EXPECT_EQ(at(places, role).type, "xfs");
  }
  EXPECT_EQ(layout_of(places), eviction::DiskLayout{});
}

TEST(DiskPlaces, OnlyAConfiguredDirectoryThatIsNotThereIsMissing) {
  Node node;
  node.real.clear();
  EXPECT_TRUE(missing_places(node.places()).empty()) << "a node without a kubelet";
  node.options.node_fs_path = "/data/images/typo";
  node.options.container_fs_path = "/nowhere";
  const std::vector<Place> missing = missing_places(node.places());
  ASSERT_EQ(missing.size(), 2U);
  EXPECT_EQ(missing[0].origin, "nodefsPath");
  EXPECT_EQ(missing[0].path, "/data/images/typo");
  EXPECT_EQ(missing[0].mount_point, "/data/images") << "where it would be";
  EXPECT_EQ(missing[1].origin, "containerfsPath");
  node.real = {{"/data/images/typo", "/data/images/typo"}, {"/nowhere", "/nowhere"}};
  EXPECT_TRUE(missing_places(node.places()).empty());
}

TEST(DiskPlaces, FirstExistingRuntimeRootIsImagefsThroughALinkToo) {
  Node node;
  node.real["/var/lib/docker"] = "/data/images/docker";
  const Places places = node.places();
  EXPECT_EQ(at(places, Role::kImageFs).mount_point, "/data/images");
  EXPECT_EQ(at(places, Role::kImageFs).origin, "containerRuntimeRoots");
  EXPECT_EQ(at(places, Role::kContainerFs).device, "8:3");
  EXPECT_EQ(layout_of(places), (eviction::DiskLayout{.dedicated_image_fs = true}));
}

TEST(DiskPlaces, LayersAreWhereARuntimeRootHasALinkForThemBesideIt) {
  Node node;
  node.options.container_runtime_roots = {"/run/evictd-kube/runtime", "/var/lib/containerd"};
  node.real["/var/lib/containerd"] = "/var/lib/containerd";
  node.real["/var/lib/containerd.containers"] = "/data/images";
  node.real["/run/evictd-kube/runtime"] = "/data/images";
  EXPECT_EQ(at(node.places(), Role::kImageFs).device, "8:3");
  EXPECT_EQ(at(node.places(), Role::kContainerFs).device, "8:3") << "as images";
  EXPECT_EQ(at(node.places(), Role::kContainerFs).origin, "detected");
  node.real["/run/evictd-kube/runtime.containers"] = "/var/lib/kubelet/layers";
  const Places places = node.places();
  EXPECT_EQ(at(places, Role::kContainerFs).device, "8:2");
  EXPECT_EQ(at(places, Role::kContainerFs).origin, "containerRuntimeRoots");
  EXPECT_EQ(layout_of(places),
            (eviction::DiskLayout{.dedicated_image_fs = true, .split_container_fs = true}));
}

TEST(DiskPlaces, ALinkThatLeadsNowhereIsNoRuntimeRoot) {
  Node node;
  node.options.container_runtime_roots = {"/run/evictd-kube/runtime", "/var/lib/containerd"};
  node.real["/var/lib/containerd"] = "/data/images";
  EXPECT_EQ(at(node.places(), Role::kImageFs).path, "/var/lib/containerd");
}

TEST(DiskPlaces, AConfiguredPathCountsBeforeWhatARuntimeTells) {
  Node node;
  node.options.container_runtime_roots = {"/run/evictd-kube/runtime"};
  node.real["/run/evictd-kube/runtime"] = "/data/images";
  node.real["/run/evictd-kube/runtime.containers"] = "/data/images";
  node.options.image_fs_path = "/";
  EXPECT_EQ(at(node.places(), Role::kImageFs).device, "8:1");
  EXPECT_EQ(at(node.places(), Role::kContainerFs).device, "8:1");
  node.options.container_fs_path = "/var/lib/kubelet";
  EXPECT_EQ(at(node.places(), Role::kContainerFs).origin, "containerfsPath");
}

TEST(DiskPlaces, WritableLayersOnNodefsAreTheSplitLayout) {
  Node node;
  node.options.image_fs_path = "/data/images";
  node.options.container_fs_path = "/var/lib/kubelet/layers";
  EXPECT_EQ(layout_of(node.places()),
            (eviction::DiskLayout{.dedicated_image_fs = true, .split_container_fs = true}));
}

TEST(DiskPlaces, AConfiguredPathCountsAlsoWhereItDoesNotExist) {
  Node node;
  node.options.node_fs_path = "/data/images/not/yet";
  EXPECT_EQ(at(node.places(), Role::kNodeFs).mount_point, "/data/images");
  EXPECT_EQ(at(node.places(), Role::kNodeFs).origin, "nodefsPath");
}

TEST(DiskPlaces, SignalsKnowTheirFilesystemAndUnit) {
  EXPECT_EQ(role_of(eviction::Signal::kImageFsInodesFree), Role::kImageFs);
  EXPECT_EQ(role_of(eviction::Signal::kMemoryAvailable), std::nullopt);
  EXPECT_TRUE(counts_inodes(eviction::Signal::kImageFsInodesFree));
  EXPECT_FALSE(counts_inodes(eviction::Signal::kNodeFsAvailable));
}

TEST(MountOf, AMountHoldsWhatIsBelowItAndNotWhatOnlyBeginsLikeIt) {
  const std::vector<sys::Mount> mounts = sys::parse_mounts(kMounts);
  EXPECT_EQ(sys::mount_of(mounts, "/var/lib/kubelet/pods")->device, "8:2");
  EXPECT_EQ(sys::mount_of(mounts, "/var/lib/kubelet2")->device, "8:1");
  EXPECT_EQ(sys::mount_of({}, "/"), nullptr);
}

TEST(MountOf, TheLaterOfTwoMountsAtOnePointIsSeen) {
  const std::vector<sys::Mount> mounts = sys::parse_mounts(
      "1 0 8:1 / / rw - ext4 /dev/sda1 rw\n2 1 8:2 /sub /m rw - xfs /dev/sdb rw\n"
      "3 2 8:3 / /m rw - xfs /dev/sdc rw\n4 3 8:4 /part /m rw - xfs /dev/sdd rw\n");
  EXPECT_EQ(sys::mount_of(mounts, "/m/x")->device, "8:4");
}

}  // namespace
}  // namespace evictd::disk
