#!/usr/bin/env python3
"""check.py CTEST TESTS PROGRAM: runs the planted tests of the CTest file TESTS and compares what they came to with their names.
PROGRAM, which has them, fails when none of them is chosen."""
import os
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import test_summary  # noqa: E402


def wanted(name):
    word = name.partition(".")[2]
    return "failed" if word.startswith("Fails") else "passed" if word.startswith("Passes") else "skipped"


def main():
    ctest, tests, program = sys.argv[1:]
    with tempfile.TemporaryDirectory() as place:
        pathlib.Path(place, "CTestTestfile.cmake").write_text(f'include("{tests}")\n')
        environment = {name: value for name, value in os.environ.items() if not name.startswith("CTEST_")}
        environment |= {"LC_ALL": "tr_TR.UTF-8", "GIT_DIR": "/nowhere", "BASH_ENV": "/nowhere", "TMPDIR": f"/{'long' * 30}",
                        "YONDER_CONFIG": "/nowhere"}
        done = subprocess.run([ctest, "--output-junit", "results.xml"], cwd=place, env=environment, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        root = xml.etree.ElementTree.parse(pathlib.Path(place, "results.xml")).getroot()
    outcomes = {case.get("name"): test_summary.outcome_of(case) for case in root.iter("testcase")}
    wrong = {name: outcome for name, outcome in outcomes.items() if outcome != wanted(name)}
    if wrong or len(outcomes) != 7 or done.returncode == 0:
        sys.exit(f"{done.stdout}\nexit status {done.returncode}, wrong: {wrong}, of {outcomes}")
    for words, shards in (["--gtest_filter=No.Such"], {}), (["--gtest_filter=Planted.Passes"], {"GTEST_TOTAL_SHARDS": "2", "GTEST_SHARD_INDEX": "1"}):
        if subprocess.run([program, *words], env={**os.environ, **shards}, capture_output=True).returncode != 1:
            sys.exit(f"a run without a test is no failure: {words} {shards}")
    if subprocess.run([program, "--gtest_list_tests"], capture_output=True).returncode != 0:
        sys.exit("the tests cannot be listed")


main()
