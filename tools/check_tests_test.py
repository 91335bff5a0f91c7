#!/usr/bin/env python3
import unittest

import check_tests

PROGRAMS = {"src/a/a_test.cc": {"a_test"}, "tests/b_test.cc": {"b_library"}}


def found(**texts):
    texts = {name.replace("__", "/").replace("_cc", ".cc"): text for name, text in texts.items()}
    return list(check_tests.never_run(texts, lambda name: PROGRAMS.get(name, set()), {"a_test"}))


class NeverRunTest(unittest.TestCase):
    def test_a_test_in_a_program_that_ctest_knows_is_run(self):
        self.assertEqual(found(src__a__a_test_cc="TEST(A, Works) {}\n"), [])

    def test_a_source_without_tests_may_be_called_anything(self):
        self.assertEqual(found(src__a__a_cc="int a;\n"), [])

    def test_a_test_in_a_source_of_another_name_is_told(self):
        self.assertEqual(found(src__a__a_tests_cc="TEST_F(A, Works) {}\n"),
                         ["src/a/a_tests.cc: has tests, and is not called *_test.cc"])

    def test_a_source_that_no_list_names_is_told(self):
        self.assertEqual(found(tests__c_test_cc="TEST_P(C, Works) {}\n"),
                         ["tests/c_test.cc: is in no program whose tests CTest finds"])

    def test_a_program_that_ctest_does_not_know_is_told(self):
        self.assertEqual(found(tests__b_test_cc="TEST(B, Works) {}\n"),
                         ["tests/b_test.cc: is in no program whose tests CTest finds"])

    def test_a_disabled_test_is_started_by_another_one(self):
        text = "TEST(A, DISABLED_Part) {}\n"
        self.assertEqual(found(src__a__a_test_cc=text),
                         ["src/a/a_test.cc: A.DISABLED_Part is disabled, and no other test starts it"])
        self.assertEqual(found(src__a__a_test_cc=text + 'TEST(A, Whole) { run("--gtest_filter=A.DISABLED_Part"); }\n'), [])


if __name__ == "__main__":
    unittest.main()
