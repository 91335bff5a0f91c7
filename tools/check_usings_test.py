#!/usr/bin/env python3
import unittest

import check_usings


class UsingsTest(unittest.TestCase):
    def test_a_name_that_is_used_is_no_finding(self):
        self.assertEqual(check_usings.unused("using ::testing::HasSubstr;\nauto x = HasSubstr(1);\n"), [])

    def test_a_name_that_is_not_used_is_one(self):
        self.assertEqual(check_usings.unused("using a::b::Thing;\nint main() {}\n"), ["Thing"])

    def test_an_alias_that_is_not_used_is_one(self):
        self.assertEqual(check_usings.unused("namespace fs = std::filesystem;\n"), ["fs"])

    def test_comments_and_texts_use_nothing(self):
        self.assertEqual(check_usings.unused('using a::Thing;\n// Thing\nauto x = "Thing";\n'), ["Thing"])

    def test_part_of_another_name_is_no_use(self):
        self.assertEqual(check_usings.unused("using a::Thing;\nint Things;\n"), ["Thing"])

    def test_an_alias_of_a_type_is_a_name_of_its_own(self):
        self.assertEqual(check_usings.unused("using Thing = a::Other;\n"), [])


if __name__ == "__main__":
    unittest.main()
