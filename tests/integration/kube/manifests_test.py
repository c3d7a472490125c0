#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""deploy/kubernetes as kubectl renders it: the schema of a real API server, what the containers may and see, the rights
of each mode, and the configurations as the real programs read them.

usage: manifests_test.py EVICTCTL EVICTD_KUBE   by the system's own Python, which has PyYAML
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/support/kube"))
from kubectl import debian_kubectl, rendered  # noqa: E402
from schema import Schema  # noqa: E402

SCHEMA = Schema(ROOT / "tests/data/kube/manifest_schema.json")
KUBERNETES = ROOT / "deploy/kubernetes"
EVICTCTL, EVICTD_KUBE = sys.argv[1:3]
MODES = ("observe", "assist", "own")
# By mode: resource to verbs, which docs/kubernetes.md says.
READING = {"pods": {"list", "watch"}}
EVICTING = {"pods": {"list", "watch", "delete"}, "pods/status": {"patch"}, "pods/eviction": {"create"},
            "events": {"create", "patch"}}
RIGHTS = {"observe": {**READING, "events": {"list", "watch"}}, "assist": EVICTING,
          "own": {**EVICTING, "nodes": {"get", "patch"}, "nodes/status": {"patch"}}}
TOKEN = "/var/run/secrets/kubernetes.io/serviceaccount"


class UniqueKeys(yaml.SafeLoader):
    """A key that is there twice is an error, as for the API server's strict readers."""

    def construct_mapping(self, node, deep=False):
        keys = [self.construct_object(key, deep=deep) for key, _ in node.value]
        if len(keys) != len(set(keys)):
            raise yaml.YAMLError(f"a key twice among {keys}: {node.start_mark}")
        return super().construct_mapping(node, deep)


def objects_of(folder, kubectl=None):
    text = rendered(kubectl or debian_kubectl(), KUBERNETES / folder)
    return list(yaml.load_all(text, Loader=UniqueKeys))  # noqa: S506


def name_of(one):
    return one["kind"], one["metadata"].get("namespace"), one["metadata"]["name"]


def is_named(item):
    return isinstance(item, dict) and "name" in item


def sorted_by_name(value):
    """Lists of what has a name in the order of the names; a map that is empty is left out."""
    if isinstance(value, dict):
        return {key: sorted_by_name(member) for key, member in value.items() if member != {}}
    if isinstance(value, list):
        items = [sorted_by_name(item) for item in value]
        return sorted(items, key=lambda item: item["name"]) if all(is_named(item) for item in items) else items
    return value


def comparable(objects):
    """Without what versions of kustomize differ in: order, hash of a ConfigMap, maps that are empty."""
    text = yaml.safe_dump(sorted_by_name(sorted(objects, key=lambda one: (one["kind"], one["metadata"]["name"]))))
    return re.sub(r"\bevictd-[0-9a-z]{10}\b", "evictd-HASH", text)


def schema_kind(one):
    group, _, version = one["apiVersion"].rpartition("/")
    return f"{(group or 'core').split('.')[0]}.{version}.{one['kind']}"


def the(kind, objects):
    found = [one for one in objects if one["kind"] == kind]
    assert len(found) == 1, found
    return found[0]


class Rendered(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.objects = {folder: objects_of(folder) for folder in ("base", *MODES)}

    def pod(self, mode):
        return the("DaemonSet", self.objects[mode])["spec"]["template"]["spec"]

    def container(self, mode, name):
        return next(one for one in self.pod(mode)["containers"] if one["name"] == name)

    def configuration(self, mode, name):
        return the("ConfigMap", self.objects[mode])["data"][name]

    def mounts(self, mode, name):
        """Path to (volume, read only)."""
        return {mount["mountPath"]: (mount["name"], mount.get("readOnly", False))
                for mount in self.container(mode, name)["volumeMounts"]}


class ObjectsTest(Rendered):
    def test_each_is_what_the_schema_of_a_real_server_says(self):
        for folder, objects in self.objects.items():
            for one in objects:
                self.assertEqual(SCHEMA.problems(one, schema_kind(one)), [], f"{folder}: {name_of(one)}")

    def test_a_field_that_the_schema_does_not_know_would_be_found(self):
        wrong = the("DaemonSet", objects_of("own"))
        wrong["spec"]["template"]["spec"]["containers"][0]["readOnlyRootFilesystem"] = True
        self.assertEqual([problem.rsplit(".", 1)[-1] for problem in SCHEMA.problems(wrong, schema_kind(wrong))],
                         ["readOnlyRootFilesystem: unknown"])

    def test_those_that_belong_to_a_namespace_are_in_that_of_the_system(self):
        for folder, objects in self.objects.items():
            for kind, namespace, name in map(name_of, objects):
                self.assertEqual(namespace, None if kind.startswith("Cluster") else "kube-system", f"{folder}: {name}")

    def test_the_base_by_itself_evicts_nobody_and_compares_nothing(self):
        config = the("ConfigMap", self.objects["base"])["data"]
        self.assertIs(yaml.safe_load(config["evictd.yaml"])["dryRun"], True)
        self.assertEqual(yaml.safe_load(config["evictd-kube.yaml"])["mode"], "none")

    def test_a_newer_kubectl_in_path_renders_the_same(self):
        for other in filter(None, [shutil.which("kubectl")]):
            for mode in MODES:
                self.assertEqual(comparable(objects_of(mode, other)), comparable(self.objects[mode]), mode)

    def test_every_binding_is_of_a_role_and_an_account_that_are_there(self):
        for mode in MODES:
            names = {name_of(one) for one in self.objects[mode]}
            bindings = [one for one in self.objects[mode] if one["kind"] == "ClusterRoleBinding"]
            roles = {one["metadata"]["name"] for one in self.objects[mode] if one["kind"] == "ClusterRole"}
            self.assertEqual({one["roleRef"]["name"] for one in bindings}, roles)
            for one in bindings:
                for subject in one["subjects"]:
                    self.assertIn((subject["kind"], subject["namespace"], subject["name"]), names)
            self.assertIn(("ServiceAccount", "kube-system", self.pod(mode)["serviceAccountName"]), names)

    def test_the_rights_of_a_mode_are_what_it_asks_for_and_no_more(self):
        for mode in MODES:
            rights = {}
            for role in (one for one in self.objects[mode] if one["kind"] == "ClusterRole"):
                for rule in role["rules"]:
                    self.assertEqual(rule["apiGroups"], [""], mode)
                    for resource in rule["resources"]:
                        rights.setdefault(resource, set()).update(rule["verbs"])
            self.assertEqual(rights, RIGHTS[mode], mode)


class PodTest(Rendered):
    def test_it_goes_last_and_runs_on_every_node(self):
        for mode in MODES:
            pod = self.pod(mode)
            self.assertEqual(pod["priorityClassName"], "system-node-critical")
            self.assertEqual(pod["tolerations"], [{"operator": "Exists"}])
            self.assertNotIn("affinity", pod)

    def test_evictd_has_the_capabilities_of_its_unit_and_those_that_stand_for_its_limits(self):
        unit = (ROOT / "deploy/evictd.service.in").read_text(encoding="utf-8")
        wanted = re.search(r"^CapabilityBoundingSet=(.*)$", unit, re.MULTILINE).group(1).split()
        wanted += ["CAP_SYS_NICE", "CAP_IPC_LOCK", "CAP_SYS_RESOURCE"]
        for mode in MODES:
            context = self.container(mode, "evictd")["securityContext"]
            self.assertEqual(context["capabilities"]["drop"], ["ALL"])
            self.assertEqual({"CAP_" + name for name in context["capabilities"]["add"]}, set(wanted))
            self.assertNotIn("privileged", context)

    def test_evictd_kube_has_no_capability_and_gains_none(self):
        for mode in MODES:
            context = self.container(mode, "evictd-kube")["securityContext"]
            self.assertEqual(context["capabilities"], {"drop": ["ALL"]})
            self.assertIs(context["allowPrivilegeEscalation"], False)

    def test_no_container_may_write_to_its_image(self):
        for mode in MODES:
            for container in self.pod(mode)["containers"]:
                self.assertIs(container["securityContext"]["readOnlyRootFilesystem"], True)

    def test_the_token_is_in_evictd_kube_alone(self):
        for mode in MODES:
            self.assertIs(self.pod(mode)["automountServiceAccountToken"], False)
            self.assertNotIn(TOKEN, self.mounts(mode, "evictd"))
            self.assertEqual(self.mounts(mode, "evictd-kube")[TOKEN], ("api-server", True))

    def test_each_volume_is_mounted_and_each_mount_has_a_volume(self):
        for mode in MODES:
            mounted = {volume for container in self.pod(mode)["containers"]
                       for volume, _ in self.mounts(mode, container["name"]).values()}
            self.assertEqual(mounted, {volume["name"] for volume in self.pod(mode)["volumes"]})

    def test_what_evictd_may_write_is_its_own_and_the_cgroups(self):
        for mode in MODES:
            writable = {path for path, (_, read_only) in self.mounts(mode, "evictd").items() if not read_only}
            self.assertEqual(writable, {"/run/evictd", "/var/lib/evictd", "/sys/fs/cgroup"})

    def test_what_evictd_kube_may_write_is_its_own(self):
        for mode in MODES:
            writable = {path for path, (_, read_only) in self.mounts(mode, "evictd-kube").items() if not read_only}
            self.assertEqual(writable, {"/run/evictd-kube", "/var/lib/evictd-kube"})

    def test_each_container_is_asked_whether_it_lives(self):
        for mode in MODES:
            for container in self.pod(mode)["containers"]:
                for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
                    self.assertTrue(container[probe]["exec"]["command"])

    def test_the_image_has_the_version_of_the_project(self):
        version = re.search(r"project\(evictd VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")).group(1)
        for mode in MODES:
            self.assertEqual({container["image"] for container in self.pod(mode)["containers"]},
                             {f"localhost/evictd:{version}"})

    def test_its_configuration_is_that_of_the_mode(self):
        maps = set()
        for mode in MODES:
            config = the("ConfigMap", self.objects[mode])["metadata"]["name"]
            self.assertIn({"name": "config", "configMap": {"name": config}}, self.pod(mode)["volumes"])
            maps.add(config)
        self.assertEqual(len(maps), len(MODES), "a name must change with what it has")


class ConfigurationTest(Rendered):
    def run_on(self, text, *command):
        with tempfile.NamedTemporaryFile("w", suffix=".yaml", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            done = subprocess.run([part or file.name for part in command], capture_output=True, text=True, check=False,
                                  env={**os.environ, "NODE_NAME": "node1"})
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_evictd_takes_each_and_does_as_the_mode_says(self):
        for mode in MODES:
            effective = yaml.safe_load(self.run_on(self.configuration(mode, "evictd.yaml"), EVICTCTL, "check-config", None))
            self.assertIs(effective["dryRun"], mode == "observe", mode)
            self.assertEqual(effective["manifestDirectories"], ["/run/evictd-kube/pods"])

    def test_evictd_kube_takes_each_and_does_as_the_mode_says(self):
        for mode in MODES:
            text = self.configuration(mode, "evictd-kube.yaml")
            self.run_on(text, EVICTD_KUBE, "--config", None, "--check")
            self.assertEqual(yaml.safe_load(text)["mode"], mode)

    def test_assist_evicts_before_a_kubelet_with_its_defaults(self):
        defaults = yaml.safe_load(self.run_on("{}\n", EVICTCTL, "check-config", None))["evictionHard"]
        ours = yaml.safe_load(self.configuration("assist", "evictd.yaml"))["evictionHard"]
        self.assertEqual(set(ours), set(defaults))

        def amount(text):
            return int(re.match(r"\d+", text).group()), re.sub(r"\d", "", text)
        for signal, threshold in ours.items():
            (sooner, unit), (later, other_unit) = amount(threshold), amount(defaults[signal])
            self.assertEqual(unit, other_unit, signal)
            self.assertGreater(sooner, later, signal)

    def test_what_a_configuration_names_is_mounted(self):
        for mode in MODES:
            evictd = yaml.safe_load(self.configuration(mode, "evictd.yaml"))
            for path in [*evictd["manifestDirectories"], evictd["recordFile"]]:
                mounts = self.mounts(mode, "evictd")
                self.assertTrue(any(path.startswith(mount + "/") for mount in mounts), path)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
