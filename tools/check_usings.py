#!/usr/bin/env python3
"""check_usings.py FILE...: names that a using-declaration or a namespace alias brings in and nothing uses.

clang-tidy knows this too, but only of the file it was started with; here several sources are one unit for it."""
import pathlib
import re
import sys

COMMENT = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.S)
USING = re.compile(r"^[ \t]*using\s+(?:typename\s+)?[\w:<>]*::(\w+)\s*;", re.M)
ALIAS = re.compile(r"^[ \t]*namespace\s+(\w+)\s*=", re.M)


def unused(text):
    """The names, in the order of their lines. Literals that a using-directive switches on are not names."""
    code = COMMENT.sub(lambda found: '""' if found[0].startswith('"') else " ", text)
    names = [(found.start(), found[1]) for pattern in (USING, ALIAS) for found in pattern.finditer(code)]
    return [name for _, name in sorted(names) if len(re.findall(rf"\b{name}\b", without_usings(code, name))) == 0]


def without_usings(code, name):
    for pattern in (USING, ALIAS):
        code = pattern.sub(lambda found: "" if found[1] == name else found[0], code)
    return code


def is_seen_elsewhere(path):
    """What a header brings in may be used by the files that include it."""
    return path.suffix == ".h"


def main():
    findings = 0
    for path in map(pathlib.Path, sys.argv[1:]):
        if is_seen_elsewhere(path):
            continue
        for name in unused(path.read_text()):
            print(f"{path}: nothing uses {name}, which a using-declaration or an alias brings in")
            findings += 1
    sys.exit(bool(findings))


if __name__ == "__main__":
    main()
