#!/usr/bin/env python3
"""test_summary.py JUNIT_XML: what a run of CTest came to, for the end of scripts/test.

Reads what `ctest --output-junit` writes. Names the tests that failed, counts the skipped ones by
their reason, and ends with one line of the form "N passed, N failed, N skipped".
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


def summary(root):
    passed, failed, reasons = 0, [], collections.Counter()
    for case in root.iter("testcase"):
        outcome = outcome_of(case)
        if outcome == "failed":
            failed.append(case.get("name"))
        elif outcome == "skipped":
            reasons[reason_of(case)] += 1
        elif outcome == "passed":
            passed += 1
    lines = []
    if failed:
        lines.append("failed:")
        lines += [f"  {name}" for name in sorted(failed)]
    if reasons:
        lines.append("skipped:")
        lines += [f"{count:5}  {reason}" for reason, count in sorted(reasons.items(), key=lambda r: (-r[1], r[0]))]
    lines.append(f"{float(root.get('time') or 0) / 60:.1f} minutes")
    lines.append(f"{passed} passed, {len(failed)} failed, {sum(reasons.values())} skipped")
    return lines


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    try:
        root = xml.etree.ElementTree.parse(sys.argv[1]).getroot()
    except (OSError, xml.etree.ElementTree.ParseError) as error:
        sys.exit(f"test_summary: {error}")
    print("\n".join(summary(root)))


if __name__ == "__main__":
    main()
