#!/usr/bin/env python3
"""check_tests.py BUILD_DIR: tests that compile and that CTest would never run, of a tree configured without unity builds.

A test counts only if its source is called *_test.cc and is compiled into a program whose tests CTest finds. A test
that is disabled is a part of another one, which has to name it."""
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TEST = re.compile(r"^TEST(?:_F|_P)?\(\s*(\w+)\s*,\s*(\w+)\s*\)", re.M)
NOT_TESTS_OF_THIS_TREE = {"tests/planted/planted.cc"}


def sources():
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "*.cc"],
                            text=True, capture_output=True, check=True).stdout
    return {name: (ROOT / name).read_text() for name in listed.split("\0") if name and (ROOT / name).is_file()}


def targets(commands):
    """Of each source, the targets that it is compiled into, by the folders of its objects."""
    found = {}
    for entry in commands:
        for target in re.findall(r"-o \S*CMakeFiles/([^/\s]+)\.dir/", entry["command"]):
            found.setdefault(str(pathlib.Path(entry["file"]).resolve()), set()).add(target)
    return found


def never_run(texts, target_of, discovered):
    """Of the texts of sources by name, what is wrong with each."""
    everything = "\n".join(texts.values())
    for name, text in sorted(texts.items()):
        tests = TEST.findall(text)
        if not tests or name in NOT_TESTS_OF_THIS_TREE:
            continue
        if not name.endswith("_test.cc"):
            yield f"{name}: has tests, and is not called *_test.cc"
        elif not target_of(name) & discovered:
            yield f"{name}: is in no program whose tests CTest finds"
        for suite, test in tests:
            if test.startswith("DISABLED_") and f"={suite}.{test}" not in everything:
                yield f"{name}: {suite}.{test} is disabled, and no other test starts it"


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    of_source = targets(json.loads((build / "compile_commands.json").read_text()))
    lists = "\n".join(file.read_text() for file in build.rglob("CTestTestfile.cmake"))
    discovered = set(re.findall(r"(\w+)\[1\]_include\.cmake", lists))
    bad = list(never_run(sources(), lambda name: of_source.get(str(ROOT / name), set()), discovered))
    print("\n".join(bad) if bad else f"{len(discovered)} test programs, no test outside of them")
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
