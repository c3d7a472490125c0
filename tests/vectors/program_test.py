# SPDX-License-Identifier: Apache-2.0
"""evictd-vectors as a program: files it reads, what it prints, how it exits.

usage: program_test.py BINARY DATA
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import judge

def threshold(signal, amount="1Gi", operator="LessThan"):
    return {"signal": signal, "operator": operator, "value": {"quantity": amount}, "gracePeriod": 0}


BINARY, DATA = (pathlib.Path(argument) for argument in sys.argv[1:3])
RIGHT = {"id": "q1", "input": {"op": "cmp", "a": "1Gi", "b": "1024Mi"}, "expected": {"cmp": 0, "equal": True}}
WRONG = {"id": "q2", "input": {"op": "cmp", "a": "1", "b": "2"}, "expected": {"cmp": 1, "equal": False}}


def run(*arguments):
    return subprocess.run([BINARY, *map(str, arguments)], capture_output=True, text=True, check=False)


class ProgramTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "cases").mkdir()

    def write(self, name, *lines):
        text = "".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines)
        (self.folder / "cases" / name).write_text(text, encoding="utf-8")

    def answer(self, name, given, compat="1.32"):
        """What the program answers for one input of the suite `name`."""
        self.write(f"{name}.jsonl", {"id": "c", "input": given})
        out = self.folder / "out"
        result = self.judge("--compat", compat, "--answers", out)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return json.loads((out / f"{name}.jsonl").read_text(encoding="utf-8"))["actual"]

    def judge(self, *options):
        return run(*options, self.folder / "cases")

    def test_a_file_that_passes_exits_with_0(self):
        self.write("quantity.jsonl", RIGHT)
        result = self.judge()
        self.assertEqual((result.returncode, result.stdout), (0, "quantity.jsonl 1/1\n"))

    def test_a_wrong_case_is_counted_and_exits_with_1(self):
        self.write("quantity.jsonl", RIGHT, WRONG)
        result = self.judge()
        self.assertEqual((result.returncode, result.stdout), (1, "quantity.jsonl 1/2\n"))

    def test_verbose_shows_what_was_expected_and_what_came(self):
        self.write("quantity.jsonl", RIGHT, WRONG)
        result = self.judge("--verbose")
        self.assertIn("quantity.jsonl:2: \"q2\" failed", result.stdout)
        self.assertIn('"cmp":1', result.stdout)
        self.assertIn('"cmp":-1', result.stdout)

    def test_a_kind_that_is_not_known_is_unsupported_and_fails_nothing(self):
        self.write("weather.jsonl", {"id": "w", "input": {}})
        result = self.judge()
        self.assertEqual((result.returncode, result.stdout), (0, "weather.jsonl unsupported\n"))

    def test_what_is_no_case_is_named_with_file_and_line(self):
        for line in ("{", "[]", '{"id": 1}', '{"id": "x", "input": {"op": "guess"}, "expected": 0}'):
            with self.subTest(line=line):
                self.write("quantity.jsonl", RIGHT, line)
                result = self.judge()
                self.assertEqual(result.returncode, 2)
                self.assertIn("quantity.jsonl:2: ", result.stderr)
                self.assertEqual(result.stdout, "quantity.jsonl 1/2\n")

    def test_a_case_that_nests_too_deep_is_refused_before_it_is_read(self):
        for deep in ("[" * 1_000_000, '{"id": "q", "input": ' + "[" * 1_000_000 + "]" * 1_000_000 + "}"):
            with self.subTest(begins=deep[:4]):
                self.write("quantity.jsonl", RIGHT, deep)
                result = self.judge()
                self.assertEqual(result.returncode, 2)
                self.assertIn("quantity.jsonl:2: nests deeper than 64 levels", result.stderr)

    def test_signals_that_no_kubelet_has_are_told_apart_by_name_in_a_merge(self):
        listed = [threshold(signal) for signal in ("gpu.available", "disk.heat", "gpu.available", "disk.heat")]
        given = {"op": "mergeThresholds", "thresholds": listed, "a": [0], "b": [1, 2, 3]}
        self.assertEqual(self.answer("thresholds", given), {"merged": [0, 1]})

    def test_signals_that_no_kubelet_has_are_met_by_what_is_observed_of_them(self):
        given = {
            "op": "thresholdsMet",
            "thresholds": [threshold(s) for s in ("gpu.available", "memory.available", "disk.heat", "none.at.all")],
            "observations": {
                "gpu.available": {"available": 1, "capacity": 2},
                "disk.heat": {"available": 2**30, "capacity": 2**31},
                "memory.available": {"available": 1, "capacity": 2},
                "of.no.threshold": {"available": 1, "capacity": 2},
            },
        }
        self.assertEqual(self.answer("thresholds", given), {"met": [0, 1]})
        given |= {"op": "thresholdsUpdatedStats", "lastObservations": {}}
        self.assertEqual(self.answer("thresholds", given), {"updated": [0, 1, 2]})
        seen = {"available": 1, "capacity": 2, "time": "2024-01-01T00:00:00Z"}
        given |= {"observations": {"gpu.available": seen, "disk.heat": seen}}
        given |= {"lastObservations": {"gpu.available": seen, "memory.available": seen}}
        self.assertEqual(self.answer("thresholds", given), {"updated": [2]})

    def test_an_observation_of_an_unknown_signal_is_read_though_nothing_asks_for_it(self):
        given = {"op": "thresholdsMet", "thresholds": [threshold("x")], "observations": {"x": {"available": "much"}}}
        self.write("thresholds.jsonl", {"id": "t", "input": given})
        result = self.judge("--answers", self.folder / "out")
        self.assertEqual(result.returncode, 2)
        self.assertIn('observations.x.available: "much": must be', result.stderr)

    def test_another_operator_is_never_met_and_keeps_its_name(self):
        listed = [threshold("nodefs.available", operator=name) for name in ("GreaterThan", "", "GreaterThan", "Equal")]
        seen = {"nodefs.available": {"available": 1, "capacity": 2}}
        given = {"op": "thresholdsMet", "thresholds": listed, "observations": seen}
        self.assertEqual(self.answer("thresholds", given), {"met": []})
        given = {"op": "mergeThresholds", "thresholds": listed, "a": [0], "b": [1, 2, 3]}
        self.assertEqual(self.answer("thresholds", given), {"merged": [0, 1, 3]})
        listed = [threshold("gpu.available"), threshold("nodefs.available", operator="GreaterThan")]
        after = self.answer("thresholds", {"op": "updateContainerFsThresholds", "thresholds": listed})["thresholds"]
        self.assertEqual(
            [(entry["signal"], entry["operator"]) for entry in after],
            [
                ("gpu.available", "LessThan"),
                ("nodefs.available", "GreaterThan"),
                ("containerfs.available", "GreaterThan"),
                ("containerfs.available", ""),
                ("containerfs.inodesFree", ""),
                ("containerfs.inodesFree", ""),
            ],
        )

    def test_containerfs_is_unknown_to_1_26(self):
        listed = [threshold("containerfs.available"), threshold("containerfs.inodesFree"), threshold("pid.available")]
        for op, known, unknown in (
            ("nodeConditions", {"conditions": ["DiskPressure", "PIDPressure"]}, {"conditions": ["PIDPressure"]}),
            (
                "getReclaimableThreshold",
                {"found": True, "threshold": 0, "resource": "ephemeral-storage"},
                {"found": True, "threshold": 2, "resource": "pids"},
            ),
        ):
            with self.subTest(op=op):
                given = {"op": op, "thresholds": listed}
                self.assertEqual(self.answer("thresholds", given, "1.32"), known)
                self.assertEqual(self.answer("thresholds", given, "1.26"), unknown)
        given = {"op": "byEvictionPriority", "thresholds": listed}
        self.assertEqual(self.answer("thresholds", given, "1.26")["groups"], [[2], [0, 1]])
        seen = {"containerfs.available": {"available": 1, "capacity": 2}}
        given = {"op": "thresholdsMet", "thresholds": listed, "observations": seen}
        self.assertEqual(self.answer("thresholds", given, "1.26"), {"met": [0]})
        for name, given, problem in (
            (
                "rank_disk",
                {"signal": "containerfs.available"},
                'signal: "containerfs.available": is no signal that pods are ranked for',
            ),
            ("thresholds", {"op": "updateContainerFsThresholds"}, 'op: "updateContainerFsThresholds" is not known'),
        ):
            with self.subTest(name=name):
                self.write(f"{name}.jsonl", {"id": "c", "input": given})
                result = self.judge("--compat", "1.26", "--answers", self.folder / "out")
                self.assertEqual(result.returncode, 2)
                self.assertIn(f"{name}.jsonl:1: {problem}", result.stderr)

    def test_a_request_for_inodes_is_what_inodes_exceed(self):
        pods, stats = [], []
        for name, requests, used in (("modest", {}, 10), ("within", {"inodes": "100"}, 100)):
            containers = [{"name": "c", "resources": {"requests": requests}}]
            pods.append({"metadata": {"name": name, "uid": name}, "spec": {"containers": containers}})
            containers = [{"name": "c", "rootfs": {"inodesUsed": used}}]
            stats.append({"podRef": {"uid": name}, "containers": containers})
        given = {"pods": pods, "stats": stats, "fsStats": ["root"], "resource": "inodes"}
        self.assertEqual(self.answer("rank_disk", given), ["modest", "within"])

    def test_values_that_do_not_fit_are_what_kubernetes_makes_of_them(self):
        for text, value, of_capacity in (
            ("10E", 0, 0),
            ("9223372036854775808", -(2**63), -(2**62)),
            ("18446744073709551615", -1, 0),
            ("-7815Ti", -5514094792, -2757047396),
        ):
            with self.subTest(text=text):
                given = {"op": "thresholdQuantity", "value": {"quantity": text}, "capacity": "1Gi"}
                self.assertEqual(self.answer("thresholds", given), {"value": value, "string": text})
                given = {"op": "thresholdQuantity", "value": {"percentage": 0.5}, "capacity": text}
                self.assertEqual(self.answer("thresholds", given)["value"], of_capacity)
                requests = {"memory": text, "ephemeral-storage": text}
                containers = [{"name": "c", "resources": {"requests": requests, "limits": requests}}]
                facts = self.answer("qos", {"pod": {"metadata": {"name": "p"}, "spec": {"containers": containers}}})
                for key in ("memoryRequest", "ephemeralRequest", "ephemeralLimit"):
                    self.assertEqual(facts[key]["value"], value)

    def test_a_value_that_does_not_fit_is_judged_though_it_is_an_artefact(self):
        expected = {"artefact": True, "value": 0, "string": "10E", "format": "DecimalSI", "sign": 1}
        case = {"id": "q", "input": {"op": "parse", "s": "10E"}, "expected": expected}
        self.write("quantity.jsonl", case)
        self.assertEqual(self.judge().returncode, 0)
        self.write("quantity.jsonl", case | {"expected": expected | {"value": 2**63 - 1}})
        self.assertEqual(self.judge().returncode, 1)

    def test_a_clock_that_would_overflow_or_go_back_is_refused(self):
        for advance, shown in (("1e300", "1e+300"), ("-1", "-1"), ("1e18", "1e+18")):
            with self.subTest(advance=advance):
                self.write("synchronize.jsonl", '{"id": "s", "input": {"steps": [{"advance": %s}]}}' % advance)
                result = self.judge("--answers", self.folder / "out")
                self.assertEqual(result.returncode, 2)
                named = f"synchronize.jsonl:1: steps[0].advance: {shown}: must be seconds"
                self.assertIn(named, result.stderr)

    def test_a_key_that_is_there_twice_is_named(self):
        self.write("quantity.jsonl", RIGHT, '{"id": "q", "input": {"op": "cmp", "op": "sub"}, "expected": 0}')
        result = self.judge()
        self.assertEqual(result.returncode, 2)
        self.assertIn('quantity.jsonl:2: the key "op" is there twice', result.stderr)

    def test_a_field_of_the_wrong_type_is_named_by_its_path(self):
        stats = [{"podRef": {"uid": "u"}, "memory": {"workingSetBytes": "much"}}]
        self.write("rank_memory.jsonl", {"id": "r", "input": {"pods": [], "stats": stats}, "expected": []})
        result = self.judge()
        self.assertEqual(result.returncode, 2)
        self.assertIn('stats[0].memory.workingSetBytes: "much": must be a whole number', result.stderr)

    def test_a_field_within_a_pod_is_named_by_its_path_from_the_case_on(self):
        pod = {"metadata": {"name": "a"}, "spec": {"containers": [{"name": "c"}, {"name": 5}]}}
        self.write("rank_memory.jsonl", {"id": "r", "input": {"pods": [pod], "stats": []}, "expected": []})
        result = self.judge()
        self.assertEqual(result.returncode, 2)
        self.assertIn("rank_memory.jsonl:1: pods[0].spec.containers[1].name: 5: must be a text", result.stderr)

    def test_an_expected_of_another_schema_is_a_failed_case(self):
        self.write("synchronize.jsonl", {"id": "s", "input": {"steps": []}, "expected": 3})
        self.write("thresholds.jsonl", {"id": "t", "input": {"op": "nodeConditions"}, "expected": {"groups": 1}})
        result = self.judge()
        self.assertEqual(result.returncode, 1)
        self.assertEqual(result.stdout, "synchronize.jsonl 0/1\nthresholds.jsonl 0/1\n")

    def test_a_damaged_archive_is_an_error(self):
        packed = (DATA / "1.32" / "notifier.jsonl.zst").read_bytes()
        for damaged in (packed[: len(packed) // 2], b"plain text", b""):
            with self.subTest(size=len(damaged)):
                (self.folder / "cases" / "notifier.jsonl.zst").write_bytes(damaged)
                result = self.judge()
                self.assertEqual(result.returncode, 2)
                self.assertIn("notifier.jsonl.zst: zstd: ", result.stderr)

    def test_a_case_file_that_cannot_be_read_is_an_error(self):
        for name in ("quantity.jsonl", "notifier.jsonl.zst"):
            (self.folder / "cases" / name).mkdir()
            result = self.judge()
            self.assertEqual((result.returncode, result.stdout), (2, ""))
            self.assertEqual(
                result.stderr, f"evictd-vectors: read {self.folder}/cases/{name}: Is a directory\n"
            )
            (self.folder / "cases" / name).rmdir()

    def test_an_empty_case_file_has_no_cases(self):
        self.write("quantity.jsonl")
        result = self.judge()
        self.assertEqual((result.returncode, result.stdout), (0, "quantity.jsonl 0/0\n"))

    def test_a_directory_without_cases_is_an_error(self):
        result = self.judge()
        self.assertEqual(result.returncode, 2)
        self.assertIn("no .jsonl or .jsonl.zst file", result.stderr)
        self.assertEqual(run(self.folder / "nowhere").returncode, 2)

    def test_results_that_cannot_be_written_are_an_error(self):
        self.write("quantity.jsonl", RIGHT)
        for arguments in ([self.folder / "cases"], ["--help"]):
            with open("/dev/full", "w", encoding="utf-8") as full:
                result = subprocess.run(
                    [BINARY, *map(str, arguments)], stdout=full, stderr=subprocess.PIPE, text=True, check=False
                )
            self.assertEqual(result.returncode, 2)
            self.assertRegex(result.stderr, r"\Aevictd-vectors: write standard output: .*\n\Z")

    def test_an_unknown_version_is_refused(self):
        result = self.judge("--compat", "1.20")
        self.assertEqual(result.returncode, 2)
        self.assertIn("1.26", result.stderr)

    def test_answers_need_no_expected(self):
        self.write("quantity.jsonl", {key: RIGHT[key] for key in ("id", "input")})
        result = self.judge("--answers", self.folder / "out" / "deep")
        self.assertEqual(result.returncode, 0)
        answers = (self.folder / "out" / "deep" / "quantity.jsonl").read_text(encoding="utf-8")
        self.assertEqual(json.loads(answers), {"id": "q1", "actual": {"cmp": 0, "equal": True}})

    def test_answers_that_cannot_be_written_are_an_error(self):
        self.write("quantity.jsonl", RIGHT)
        (self.folder / "out").write_text("in the way", encoding="utf-8")
        self.assertEqual(self.judge("--answers", self.folder / "out").returncode, 2)

    def test_answers_never_replace_the_cases(self):
        self.write("quantity.jsonl", RIGHT)
        before = (self.folder / "cases" / "quantity.jsonl").read_bytes()
        (self.folder / "link").symlink_to("cases")
        for out in (self.folder / "cases", self.folder / "cases" / ".", self.folder / "link"):
            result = self.judge("--answers", out)
            self.assertEqual(result.returncode, 2)
            self.assertIn("answers would replace the case files", result.stderr)
            self.assertEqual((self.folder / "cases" / "quantity.jsonl").read_bytes(), before)

    def test_answers_never_replace_a_case_file_that_a_link_leads_to(self):
        self.write("quantity.jsonl", RIGHT)
        self.write("weather.jsonl", {"id": "w", "input": {}})
        cases, out = self.folder / "cases", self.folder / "out"
        out.mkdir()
        before = {file.name: file.read_bytes() for file in cases.iterdir()}
        for case in ("quantity.jsonl", "weather.jsonl"):
            for link in (out / "quantity.jsonl").symlink_to, (out / "quantity.jsonl").hardlink_to:
                link(cases / case)
                result = self.judge("--answers", out)
                self.assertEqual((result.returncode, result.stdout), (2, ""))
                self.assertEqual(
                    result.stderr,
                    f"evictd-vectors: {out}/quantity.jsonl is {cases}/{case}: answers would replace the case files\n",
                )
                self.assertEqual({file.name: file.read_bytes() for file in cases.iterdir()}, before)
                (out / "quantity.jsonl").unlink()

    def test_two_case_files_with_one_answer_file_are_refused_before_anything_is_written(self):
        self.write("notifier.jsonl")
        self.write("quantity.jsonl", RIGHT)
        self.write("quantity.jsonl.zst", "never read")
        cases, out = self.folder / "cases", self.folder / "out"
        result = self.judge("--answers", out)
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertEqual(
            result.stderr,
            f"evictd-vectors: {cases}/quantity.jsonl and {cases}/quantity.jsonl.zst: "
            "both would be answered in quantity.jsonl\n",
        )
        self.assertEqual(list(out.iterdir()), [])

    def test_answers_need_a_directory_with_a_name(self):
        self.write("quantity.jsonl", RIGHT)
        result = self.judge("--answers", "")
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertIn('--answers: "": not allowed; allowed: a directory', result.stderr)

    def test_another_judge_finds_all_answers_right(self):
        for version in ("1.26", "1.32"):
            with self.subTest(version=version):
                out = self.folder / version
                result = run("--compat", version, DATA / version, "--answers", out)
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertEqual(judge.wrong_answers(DATA / version, out), [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
