#!/usr/bin/env python3
"""clang-tidy over many sources, several in one translation unit. Usage: tidy.py BUILD_DIR FILE...

Most of clang-tidy's time goes into the headers of the system, which are the same for every file. Files that do not
go together (each has its own kBlock) are looked at in smaller groups."""
import concurrent.futures
import itertools
import json
import os
import pathlib
import shlex
import subprocess
import sys

TOGETHER = 16


def commands(build, files):
    """How each file is compiled; one that this build does not compile (the outpost's main) as its neighbours are."""
    entries = json.loads((build / "compile_commands.json").read_text())
    known = {pathlib.Path(entry["file"]).resolve(): entry for entry in entries}
    of_place = {file.parent: entry for file, entry in known.items() if not file.stem.endswith("_test")}
    return {file: known.get(file) or of_place[file.parent] for file in files}


def without_names(entry):
    """The command without its source and its object: files with the same one can be compiled together."""
    words = iter(shlex.split(entry["command"]))
    kept = []
    for word in words:
        if word in ("-o", "-c", "-MF", "-MT"):
            next(words)
        else:
            kept.append(word)
    return kept


def units(files, known):
    def way(file):
        return (str(file.parent), without_names(known[file]))

    for _, same in itertools.groupby(sorted(files, key=way), key=way):
        same = list(same)
        for i in range(0, len(same), TOGETHER):
            yield same[i:i + TOGETHER]


def write_unit(place, group, known):
    place.mkdir(parents=True, exist_ok=True)
    unit = place / "unit.cc"
    unit.write_text("".join(f'#include "{file}"  // NOLINT\n' for file in group))
    command = shlex.join(without_names(known[group[0]]) + ["-c", str(unit)])
    entry = {"directory": known[group[0]]["directory"], "file": str(unit), "command": command}
    (place / "compile_commands.json").write_text(json.dumps([entry]))
    return unit


def tidy(database, file):
    done = subprocess.run(["clang-tidy", "--quiet", "--config-file=.clang-tidy", "-p", database, file],
                          text=True, capture_output=True)
    return done.returncode, done.stdout, done.stderr


def look_at(place, group, known):
    """What clang-tidy says against these files, or nothing."""
    code, said, troubles = tidy(place, write_unit(place, group, known))
    if code == 0:
        return ""
    if len(group) == 1:
        return said or f"{group[0]}: clang-tidy ended with {code} and found nothing:\n{troubles[-4000:]}\n"
    half = len(group) // 2  # a finding, or files that do not go together
    return look_at(place / "a", group[:half], known) + look_at(place / "b", group[half:], known)


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    files = [pathlib.Path(name).resolve() for name in sys.argv[2:]]
    known = commands(build, files)
    groups = list(units(files, known))
    places = [build / "tidy" / str(number) for number in range(len(groups))]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        findings = "".join(pool.map(look_at, places, groups, itertools.repeat(known)))
    sys.exit(findings or 0)


if __name__ == "__main__":
    main()
