#!/usr/bin/env python3
"""test_summary.py [--skips FILE] JUNIT_XML: what a run of CTest came to, for the end of scripts/test.

Reads what `ctest --output-junit` writes. Names the tests that failed, counts the skipped ones by
their reason, and ends with one line of the form "N passed, N failed, N skipped". With FILE, whose lines are
"MOST REASON", it fails when nothing has passed, and when more tests were skipped than FILE allows.
"""

import collections
import sys
import xml.etree.ElementTree


def reason_of(case):
    """The line after GoogleTest's "FILE:LINE: Skipped", which others print in the same way."""
    lines = [line.strip() for line in (case.findtext("system-out") or "").splitlines()]
    for line, following in zip(lines, lines[1:]):
        if line == "Skipped" or line.endswith(": Skipped"):
            return following or "no reason given"
    return "no reason given"


def outcome_of(case):
    """Nothing for what is no test by itself but a part that another one starts: these are disabled."""
    if case.get("status") == "disabled":
        return None
    skipped = case.find("skipped")
    if skipped is not None and (skipped.get("message") or "").startswith("SKIP_"):
        return "skipped"
    # A test whose program is missing has failed too, though CTest calls it skipped here.
    return "passed" if case.get("status") == "run" else "failed"


def count(root):
    """(how many passed, names of those that failed, reasons of the skipped ones)"""
    passed, failed, reasons = 0, [], collections.Counter()
    for case in root.iter("testcase"):
        outcome = outcome_of(case)
        if outcome == "failed":
            failed.append(case.get("name"))
        elif outcome == "skipped":
            reasons[reason_of(case)] += 1
        elif outcome == "passed":
            passed += 1
    return passed, failed, reasons


def summary(root):
    passed, failed, reasons = count(root)
    lines = []
    if failed:
        lines.append("failed:")
        lines += [f"  {name}" for name in sorted(failed)]
    if reasons:
        lines.append("skipped:")
        lines += [f"{number:5}  {reason}" for reason, number in sorted(reasons.items(), key=lambda r: (-r[1], r[0]))]
    lines.append(f"{float(root.get('time') or 0) / 60:.1f} minutes")
    lines.append(f"{passed} passed, {len(failed)} failed, {sum(reasons.values())} skipped")
    return lines


def allowed_skips(text):
    """Of the lines "MOST REASON", how often each reason may be given."""
    allowed = {}
    for line in text.splitlines():
        if line.strip() and not line.startswith("#"):
            most, reason = line.split(maxsplit=1)
            allowed[reason.strip()] = int(most)
    return allowed


def too_few(root, allowed):
    """Why a run does not count, though nothing in it has failed."""
    passed, _, reasons = count(root)
    found = [] if passed else ["no test has passed"]
    for reason, number in sorted(reasons.items()):
        if number > allowed.get(reason, 0):
            found.append(f"{number} skipped, at most {allowed.get(reason, 0)} may be: {reason}")
    return found


def main():
    arguments = sys.argv[1:]
    skips = None
    if arguments[:1] == ["--skips"] and len(arguments) == 3:
        skips, arguments = arguments[1], arguments[2:]
    if len(arguments) != 1:
        sys.exit(__doc__)
    try:
        root = xml.etree.ElementTree.parse(arguments[0]).getroot()
    except (OSError, xml.etree.ElementTree.ParseError) as error:
        sys.exit(f"test_summary: {error}")
    print("\n".join(summary(root)), flush=True)
    if skips:
        with open(skips, encoding="utf-8") as file:
            found = too_few(root, allowed_skips(file.read()))
        if found:
            sys.exit("\n".join([f"these tests do not count as passed (see {skips}):"] + found))


if __name__ == "__main__":
    main()
