#!/usr/bin/env python3
import os
import pathlib
import tempfile
import unittest

import tidy


class TidyTest(unittest.TestCase):
    """With a clang-tidy that does as its first line of shell says."""

    def said(self, program, files=("a.cc", "b.cc")):
        with tempfile.TemporaryDirectory() as place:
            fake = pathlib.Path(place, "clang-tidy")
            fake.write_text(f"#!/bin/sh\n{program}\n")
            fake.chmod(0o755)
            before = os.environ["PATH"]
            os.environ["PATH"] = f"{place}:{before}"
            try:
                group = [pathlib.Path(place, name) for name in files]
                known = {file: {"directory": place, "command": f"c++ -c {file}"} for file in group}
                return tidy.look_at(pathlib.Path(place, "work"), group, known)
            finally:
                os.environ["PATH"] = before

    def test_a_crash_is_not_tidy(self):
        said = self.said("echo stack dump >&2; kill -SEGV $$")
        self.assertIn("a.cc: clang-tidy ended with -11", said)
        self.assertIn("b.cc: clang-tidy ended with -11", said)
        self.assertIn("stack dump", said)

    def test_findings_are_shown(self):
        self.assertEqual(self.said("echo finding; exit 1", ["a.cc"]), "finding\n")

    def test_nothing_found_is_tidy(self):
        self.assertEqual(self.said("exit 0"), "")


if __name__ == "__main__":
    unittest.main()
