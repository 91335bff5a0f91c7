#!/usr/bin/env python3
"""check.py CTEST TESTS: runs the planted tests of the CTest file TESTS and compares what they came to with their names."""
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
    ctest, tests = sys.argv[1:]
    with tempfile.TemporaryDirectory() as place:
        pathlib.Path(place, "CTestTestfile.cmake").write_text(f'include("{tests}")\n')
        environment = {name: value for name, value in os.environ.items() if not name.startswith("CTEST_")}
        done = subprocess.run([ctest, "--output-junit", "results.xml"], cwd=place, env=environment, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        root = xml.etree.ElementTree.parse(pathlib.Path(place, "results.xml")).getroot()
    outcomes = {case.get("name"): test_summary.outcome_of(case) for case in root.iter("testcase")}
    wrong = {name: outcome for name, outcome in outcomes.items() if outcome != wanted(name)}
    if wrong or len(outcomes) != 5 or done.returncode == 0:
        sys.exit(f"{done.stdout}\nexit status {done.returncode}, wrong: {wrong}, of {outcomes}")


main()
