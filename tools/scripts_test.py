#!/usr/bin/env python3
import os
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent


def run(*words, env=os.environ, **more):
    # bash complains of a locale that is not installed.
    env = {**env, "LC_ALL": "C.UTF-8"}
    return subprocess.run(words, text=True, capture_output=True, timeout=600, env=env, **more)


class ScriptsTest(unittest.TestCase):
    def test_every_script_says_what_it_does(self):
        for script in sorted((ROOT / "scripts").iterdir()):
            for word in ("--help", "-h"):
                done = run(script, word, cwd="/")
                self.assertEqual((done.returncode, done.stderr), (0, ""), script.name)
                self.assertGreater(len(done.stdout), 60, script.name)
                self.assertNotIn("set -euo", done.stdout, script.name)

    def test_cdpath_leads_no_script_astray(self):
        with tempfile.TemporaryDirectory() as place:
            pathlib.Path(place, "scripts").mkdir()
            environment = {**os.environ, "CDPATH": place}
            for script in sorted((ROOT / "scripts").iterdir()):
                done = run(f"scripts/{script.name}", "--help", cwd=ROOT, env=environment)
                self.assertEqual(done.returncode, 0, script.name + done.stderr)
                self.assertNotIn(place, done.stdout, script.name)

    def test_a_prefix_that_cannot_be_written_to_is_refused_before_the_build(self):
        with tempfile.TemporaryDirectory() as place:
            file = pathlib.Path(place, "a file")
            file.write_text("")
            no_home = {name: value for name, value in os.environ.items() if name != "HOME"}
            done = run(ROOT / "scripts" / "install", "--prefix", file, env=no_home)
            self.assertEqual(done.returncode, 1)
            self.assertIn(f"install: {file} cannot be written to", done.stderr)
            self.assertNotIn("building", done.stdout)

    def test_without_a_prefix_and_a_home_one_is_asked_for(self):
        done = run(ROOT / "scripts" / "install", env={"PATH": os.environ["PATH"]})
        self.assertEqual((done.returncode, done.stderr), (2, "install: name a directory: scripts/install --prefix DIR\n"))

    def test_what_cannot_be_checked_is_refused_with_the_usage(self):
        for words in (["--foo"], ["--form", "more"], ["no/such.cc"], ["README.md"]):
            done = run(ROOT / "scripts" / "check", *words)
            self.assertEqual(done.returncode, 2, words)
            self.assertRegex(done.stderr, "^(usage|check): ")
            self.assertNotIn("Traceback", done.stderr)

    def test_files_that_git_does_not_list_are_not_said_to_be_checked(self):
        for words in (["--form"], ["--all"], []):
            done = run(ROOT / "scripts" / "check", *words, env={**os.environ, "GIT_DIR": "/nowhere"})
            self.assertEqual(done.returncode, 1, words)
            self.assertIn("check: git does not list the files of this tree", done.stderr)

    def test_the_commit_is_that_of_the_sources_also_in_another_repositorys_hook(self):
        with tempfile.TemporaryDirectory() as place:
            def git(*words):
                name = ("-c", "user.name=a", "-c", "user.email=a@b")
                return run("git", "-C", place, *name, *words, env={"PATH": os.environ["PATH"], "HOME": place}).stdout
            git("init", "-q")
            git("commit", "-q", "--allow-empty", "-m", "another")
            header = pathlib.Path(place, "commit.h")
            done = run("cmake", "-D", f"SOURCE={ROOT}", "-D", f"OUTPUT={header}", "-P", ROOT / "cmake" / "write_commit.cmake",
                       env={**os.environ, "GIT_DIR": f"{place}/.git"})
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertNotIn(git("describe", "--always", "--abbrev=8").strip(), header.read_text())


if __name__ == "__main__":
    unittest.main()
