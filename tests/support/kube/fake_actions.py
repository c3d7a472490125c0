# SPDX-License-Identifier: Apache-2.0
"""A fake API server that accepts changes of pods and events, as evictd-kube sends them for an eviction. Its answers
were recorded from a real API server.

As a program it is fake_kube.py that also accepts changes:

usage: fake_actions.py DIRECTORY PODS   appends each change to DIRECTORY/changes: a line of method, path, body, problems
"""
import json
import pathlib
import sys
import urllib.parse

from fake_kube import FakeKube, Fault, Handler, serve_files
from schema import Schema

SCHEMA = Schema(pathlib.Path(__file__).resolve().parents[2] / "data/kube/api_server_schema.json")
PATCH_TYPE = "application/strategic-merge-patch+json"


def status(code, reason, message, **details):
    return code, {"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code, "reason": reason,
                  "message": message, "details": details}


def not_found(kind, name):
    return status(404, "NotFound", f'{kind} "{name}" not found', name=name, kind=kind)


def merge(into, patch):
    """The part of a strategic merge patch used here: lists are merged by the type of their items."""
    for name, value in patch.items():
        if isinstance(value, dict):
            merge(into.setdefault(name, {}), value)
        elif name == "conditions":
            for condition in value:
                known = [one for one in into.setdefault(name, []) if one["type"] == condition["type"]]
                if known:
                    known[0].update(condition)
                else:
                    into[name].append(condition)
        else:
            into[name] = value


class ActionHandler(Handler):
    disable_nagle_algorithm = True  # Head and body of an answer are written separately, which would cost 40 ms each.

    def do_GET(self):
        if not self.path.startswith("/api/v1/nodes/"):
            super().do_GET()
            return
        fake = self.fake
        with fake.changed:
            is_node = self.path == "/api/v1/nodes/" + fake.node["metadata"]["name"]
            code, answer = (200, fake.node) if is_node else not_found("nodes", "?")
            body = json.dumps(answer).encode()
        self.answer(code, body, Fault())

    def do_POST(self):
        self.change("POST")

    def do_PATCH(self):
        self.change("PATCH")

    def do_DELETE(self):
        self.change("DELETE")

    def change(self, method):
        fake = self.fake
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        token = self.headers.get("Authorization", "").removeprefix("Bearer ")
        with fake.changed:
            fault = fake.faults_of_changes.pop(0) if fake.faults_of_changes else Fault()
            fake.changes.append((method, self.path, body))
            is_allowed = token in fake.tokens
            if fault.is_lost or (is_allowed and not fault.status and not fault.hang and not fault.garbage):
                code, answer = fake.apply(method, self.path, body, self.headers["Content-Type"])
            else:
                code, answer = 401, {}
            fake.changed.notify_all()
        if fault.hang:
            self.hang()
        elif fault.garbage or fault.is_lost:
            self.close_connection = True
            self.wfile.write(fault.garbage)
        elif fault.status:
            self.answer(fault.status, fault.body or self.status_object(fault.status), fault)
        else:
            self.answer(code, json.dumps(answer).encode(), fault)


class ChangeFault(Fault):
    """Fault of a change: `garbage` replaces the answer; `is_lost`: done, but without an answer."""

    def __init__(self, garbage=b"", is_lost=False, **more):
        super().__init__(**more)
        self.garbage = garbage
        self.is_lost = is_lost


Fault.garbage = b""
Fault.is_lost = False


class ActionKube(FakeKube):
    handler = ActionHandler

    def __init__(self, *arguments, **options):
        self.changes = []  # (method, path, body), in order.
        self.effects = []  # Effects in order: ("status", NAME), ("gone", NAME), ("event", NAME, COUNT)
        self.api_events = {}  # By namespace and name.
        self.faults_of_changes = []
        self.budgets = set()  # Names of pods that a disruption budget protects.
        self.policies = {"policy/v1", "policy/v1beta1"}
        self.node = {"kind": "Node", "apiVersion": "v1", "metadata": {"name": "node1", "resourceVersion": "1"},
                     "spec": {"taints": [{"key": "team", "value": "a", "effect": "NoSchedule"}]},
                     "status": {"conditions": [{"type": "Ready", "status": "True"}]}}
        self.before_taints = lambda: None
        self.problems = []  # Violations of the schema by bodies.
        super().__init__(*arguments, **options)

    def fail_changes(self, *faults):
        with self.changed:
            self.faults_of_changes.extend(faults)

    def apply(self, method, path, body, content_type):
        parts = urllib.parse.urlsplit(path).path.strip("/").split("/")
        if (content_type == PATCH_TYPE) != (method == "PATCH"):
            self.problems.append(f"{method} with {content_type}")
        if parts[2] == "nodes":
            return self.patch_node(parts[4:], body)
        namespace, resource = parts[3], parts[4]
        if resource == "events":
            return self.apply_event(method, namespace, parts[5:], body)
        name, subresource = parts[5], parts[6:]
        found = [pod for pod in self.pods.values()
                 if (pod["metadata"]["namespace"], pod["metadata"]["name"]) == (namespace, name)]
        if not found:
            return not_found("pods", name)
        if method == "PATCH" and subresource == ["status"]:
            return self.patch_status(found[0], body)
        if method == "POST" and subresource == ["eviction"]:
            return self.evict(found[0], body)
        return self.delete_pod(found[0], body)

    def change_node(self, patch):
        """Acts as another client."""
        with self.changed:
            merge(self.node, patch)
            self.node["metadata"]["resourceVersion"] = str(int(self.node["metadata"]["resourceVersion"]) + 1)

    def patch_node(self, subresource, body):
        if subresource == ["status"]:
            self.check(body["status"], "core.v1.NodeStatus")
        else:
            self.check(body["spec"], "core.v1.NodeSpec")
            self.before_taints()
            version = self.node["metadata"]["resourceVersion"]
            if body["metadata"]["resourceVersion"] != version:
                return status(409, "Conflict", 'Operation cannot be fulfilled on nodes "node1": the object has been '
                                               "modified; please apply your changes to the latest version and try again")
            body = {"spec": body["spec"]}
        self.change_node(body)
        self.effects.append(("node", *subresource))
        return 200, self.node

    def patch_status(self, pod, body):
        self.check(body.get("status"), "core.v1.PodStatus")
        self.check(body.get("metadata"), "meta.v1.ObjectMeta")
        if body["metadata"]["uid"] != pod["metadata"]["uid"]:
            return status(422, "Invalid", f'Pod "{pod["metadata"]["name"]}" is invalid: metadata.uid: Invalid value: '
                                          f'"{body["metadata"]["uid"]}": field is immutable', kind="Pod")
        merge(pod["status"], body["status"])
        self.effects.append(("status", pod["metadata"]["name"]))
        return 200, pod

    def evict(self, pod, body):
        version = body["apiVersion"]
        self.check(dict(body, apiVersion="policy/v1beta1"), "policy.v1beta1.Eviction")
        if version not in self.policies:
            return status(400, "BadRequest", f'Eviction in version "{version.split("/")[1]}" cannot be handled as a '
                                             f'Eviction: no kind "Eviction" is registered for version "{version}"')
        if pod["metadata"]["name"] in self.budgets:
            return status(429, "TooManyRequests", "Cannot evict pod as it would violate the pod's disruption budget.",
                          causes=[{"reason": "DisruptionBudget", "message": "The disruption budget b needs 1 healthy "
                                                                            "pods and has 1 currently"}])
        return self.end(pod, body["deleteOptions"], 201)

    def delete_pod(self, pod, body):
        self.check(body, "meta.v1.DeleteOptions")
        return self.end(pod, body, 200)

    def end(self, pod, options, code):
        name, uid = pod["metadata"]["name"], pod["metadata"]["uid"]
        expected = options["preconditions"]["uid"]
        if expected != uid:
            return status(409, "Conflict", f"Operation cannot be fulfilled on Pod \"{name}\": the UID in the "
                                           f"precondition ({expected}) does not match the UID in record ({uid}). The "
                                           "object might have been deleted and then recreated", kind="Pod")
        self.delete(uid)
        self.effects.append(("gone", name))
        return code, {"kind": "Status", "status": "Success"}

    def apply_event(self, method, namespace, name, body):
        if method == "PATCH":
            known = self.api_events.get((namespace, name[0]))
            if not known:
                return not_found("events", name[0])
            self.check({**known, **body}, "core.v1.Event")
            if known["count"] != body["count"]:
                self.effects.append(("event", name[0], body["count"]))
            known.update(body)
            return 200, known
        self.check(body, "core.v1.Event")
        about = body["involvedObject"].get("namespace", "default")
        if about != namespace:
            return status(422, "Invalid", f'Event "bad" is invalid: involvedObject.namespace: Invalid value: "{about}": '
                                          "does not match event.namespace")
        key = (namespace, body["metadata"]["name"])
        if key in self.api_events:
            return status(409, "AlreadyExists", f'events "{key[1]}" already exists', name=key[1], kind="events")
        self.api_events[key] = body
        self.effects.append(("event", key[1], body["count"]))
        return 201, body

    def check(self, body, kind):
        self.problems.extend(SCHEMA.problems(body, kind))


class ToldActionKube(ActionKube):
    """Writes each change to a file."""

    def apply(self, method, path, body, content_type):
        answer = super().apply(method, path, body, content_type)
        with open(pathlib.Path(sys.argv[1]) / "changes", "a", encoding="utf-8") as told:
            told.write(json.dumps({"method": method, "path": path, "body": body, "status": answer[0],
                                   "problems": self.problems}) + "\n")
        return answer


if __name__ == "__main__":
    serve_files(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), ToldActionKube)
