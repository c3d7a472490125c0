# SPDX-License-Identifier: Apache-2.0
"""A real Prometheus scrapes a real evictd-web and evaluates each query of the dashboard and each rule."""
import contextlib
import http.client
import json
import os
import pathlib
import re
import socket
import subprocess
import unittest
import urllib.parse

from node import PATIENCE, Node

DEPLOY = pathlib.Path(__file__).resolve().parents[2] / "deploy"
RATE_INTERVAL = "10s"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def queries():
    """(panel, expression), with the dashboard's variables replaced."""
    dashboard = json.loads((DEPLOY / "grafana/evictd.json").read_text(encoding="utf-8"))
    for panel in dashboard["panels"]:
        for target in panel["targets"]:
            yield panel["title"], target["expr"].replace("$instance", ".*").replace("$__rate_interval", RATE_INTERVAL)


class DashboardTest(unittest.TestCase):
    def setUp(self):
        if os.geteuid() != 0:
            self.skipTest("needs root to make cgroups and to run evictd")

    def prometheus(self, node):
        """Its port; it scrapes evictd-web four times a second."""
        port = free_port()
        config = {"global": {"scrape_interval": "250ms", "evaluation_interval": "1s"},
                  "rule_files": [str(DEPLOY / "prometheus/evictd.rules.yml")],
                  "scrape_configs": [{"job_name": "evictd", "static_configs": [{"targets": [f"127.0.0.1:{node.port}"]}]}]}
        (node.directory / "prometheus.yml").write_text(json.dumps(config), encoding="utf-8")
        with (node.directory / "prometheus.log").open("w", encoding="utf-8") as log:
            server = subprocess.Popen(
                ["prometheus", f"--config.file={node.directory}/prometheus.yml",
                 f"--storage.tsdb.path={node.directory}/data", f"--web.listen-address=127.0.0.1:{port}",
                 "--log.level=warn"], stdin=subprocess.DEVNULL, stderr=log)
        self.addCleanup(Node.end, server)
        return port

    @staticmethod
    def ask(port, path, **arguments):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        with contextlib.closing(connection):
            try:
                connection.request("GET", f"{path}?{urllib.parse.urlencode(arguments)}")
                return json.loads(connection.getresponse().read())
            except (OSError, ValueError):
                return {"status": "not there yet", "error": "", "data": {"result": []}}

    def test_each_query_is_answered_by_a_real_prometheus(self):
        node = Node(self)
        node.add_quiet_pod("aaaa", "shop", "cart", request_mib=64)
        node.start_evictd()
        node.start_web()
        port = self.prometheus(node)
        node.wait_until(lambda: self.ask(port, "/api/v1/query", query="evictd_up == 1")["data"]["result"], "first scrape")
        node.add_hog("bbbb", "batch", "report").wait(PATIENCE)
        node.wait_until(lambda: self.ask(port, "/api/v1/query", query="kubelet_evictions >= 1")["data"]["result"],
                        "the eviction is scraped")
        silent = []
        for title, expression in queries():
            answer = self.ask(port, "/api/v1/query", query=expression)
            self.assertEqual(answer["status"], "success", f"{title}: {expression}: {answer.get('error')}")
            known = self.ask(port, "/api/v1/query", query=self.any_metric_of(expression))["data"]["result"]
            if not known:
                silent.append(f"{title}: {expression}")
        self.assertEqual(silent, [])

    @staticmethod
    def any_metric_of(expression):
        """Whether Prometheus knows one of the series in the expression."""
        names = set(re.findall(r"\b(?:evictd|kubelet)_\w+", expression))
        return " or ".join(f"count({name})" for name in sorted(names))

    def test_each_rule_names_metrics_that_there_are(self):
        node = Node(self)
        node.start_evictd()
        node.start_web()
        node.wait_until(lambda: node.metrics().get("evictd_up"), "evictd answers")
        names = {name.split("{")[0] for name in node.metrics()}
        rules = (DEPLOY / "prometheus/evictd.rules.yml").read_text(encoding="utf-8")
        named = {name for line in re.findall(r"expr: (.*)", rules) for name in re.findall(r"\bevictd_\w+", line)}
        # Without a record file no lines can be lost, and without BPF there is no kernel side.
        optional = {"evictd_records_lost_total"} | (set() if "evictd_kernel_timer_stalled" in names else
                                                    {"evictd_kernel_timer_stalled"})
        self.assertEqual(named - names - optional, set())


if __name__ == "__main__":
    unittest.main(verbosity=2)
