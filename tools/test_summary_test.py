#!/usr/bin/env python3
import unittest
import xml.etree.ElementTree

import test_summary


def lines(text, time="90"):
    return test_summary.summary(xml.etree.ElementTree.fromstring(f'<testsuite time="{time}">{text}</testsuite>'))


PASSED = '<testcase name="A.Passes" status="run"><system-out/></testcase>'
FAILED = '<testcase name="{}" status="fail"><failure message="x"/><system-out>a.cc:1: Failure</system-out></testcase>'


def skipped(output):
    return (f'<testcase name="S" status="notrun"><skipped message="SKIP_RETURN_CODE=77"/>'
            f'<system-out>{output}</system-out></testcase>')


class SummaryTest(unittest.TestCase):
    def test_the_last_line_counts_everything(self):
        self.assertEqual(lines(PASSED + PASSED + FAILED.format("B.Fails") + skipped("x.cc:3: Skipped\nneeds root\n"))[-1],
                         "2 passed, 1 failed, 1 skipped")

    def test_nothing_at_all_is_counted_too(self):
        self.assertEqual(lines(""), ["1.5 minutes", "0 passed, 0 failed, 0 skipped"])

    def test_failed_tests_are_named_in_order(self):
        self.assertEqual(lines(FAILED.format("Z.Last") + FAILED.format("A.First"))[:3],
                         ["failed:", "  A.First", "  Z.Last"])

    def test_reasons_are_grouped_and_the_most_frequent_comes_first(self):
        text = (skipped("x.cc:3: Skipped\nneeds npm") + skipped("[ RUN ] S\n/y.cc:4: Skipped\nneeds root\n[  SKIPPED ] S")
                + skipped("Skipped\nneeds root"))
        self.assertEqual(lines(text)[:3], ["skipped:", "    2  needs root", "    1  needs npm"])

    def test_a_second_skip_of_one_test_does_not_count(self):
        self.assertEqual(lines(skipped("x.cc:3: Skipped\nfirst\nx.cc:3: Skipped\nsecond"))[1], "    1  first")

    def test_a_skip_without_a_reason_is_counted(self):
        self.assertEqual(lines(skipped(""))[1], "    1  no reason given")

    def test_a_part_of_another_test_is_none(self):
        self.assertEqual(lines('<testcase name="S" status="disabled"><skipped message="Disabled"/></testcase>')[-1],
                         "0 passed, 0 failed, 0 skipped")

    def test_a_program_that_is_missing_has_failed(self):
        missing = '<testcase name="S" status="notrun"><skipped message="Unable to find executable"/></testcase>'
        self.assertEqual(lines(missing)[-1], "0 passed, 1 failed, 0 skipped")

    def test_minutes_are_those_of_the_whole_run(self):
        self.assertIn("20.5 minutes", lines(PASSED, "1230"))


class TooFewTest(unittest.TestCase):
    ALLOWED = "# why\n2  needs another user\n"

    def found(self, text):
        root = xml.etree.ElementTree.fromstring(f'<testsuite time="9">{text}</testsuite>')
        return test_summary.too_few(root, test_summary.allowed_skips(self.ALLOWED))

    def test_known_reasons_may_be_given_as_often_as_they_are_known(self):
        one = skipped("x.cc:3: Skipped\nneeds another user")
        self.assertEqual(self.found(PASSED + 2 * one), [])
        self.assertEqual(self.found(PASSED + 3 * one), ["3 skipped, at most 2 may be: needs another user"])

    def test_an_unknown_reason_is_one_too_many(self):
        self.assertEqual(self.found(PASSED + skipped("x.cc:3: Skipped\nneeds namespaces")),
                         ["1 skipped, at most 0 may be: needs namespaces"])

    def test_a_run_in_which_nothing_passed_does_not_count(self):
        self.assertEqual(self.found(""), ["no test has passed"])


if __name__ == "__main__":
    unittest.main()
