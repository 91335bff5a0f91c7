#!/usr/bin/env python3
"""Compiles every source and every header by itself, without code. Usage: compile_alone.py BUILD_DIR [FILE...]

Builds compile several sources together, which hides an include that is missing in one of them. BUILD_DIR has a
compile_commands.json that names every source once.

Most of the time would go into three large headers of other projects. A file that includes one of them anyway gets it
precompiled, in front of its first line: that hides nothing but a missing include in a header that stands before it, and
each header is compiled by itself too. The compiler is Clang, whose precompiled headers also hold what their templates
came to; warnings are the builds' business. The FILEs are compiled once more, as the build itself would: with GCC, whose
warnings may differ where several sources are one unit."""
import concurrent.futures
import functools
import hashlib
import itertools
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

LARGE = ("nlohmann/json.hpp", "gtest/gtest.h", "gmock/gmock.h")
FOLDERS = ("src", "tests", "bench")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)


class Includes:
    """What files include, of this project and of the large headers."""

    def __init__(self, root):
        self.root = root

    @functools.cache
    def of(self, file):
        """(name as it is written, file of this project or None)"""
        return [(name, self.find(name, file.parent)) for _, name in INCLUDE.findall(file.read_text())]

    @functools.cache
    def find(self, name, beside):
        for folder in [beside] + [self.root / folder for folder in FOLDERS]:
            if (folder / name).is_file():
                return (folder / name).resolve()
        return None

    @functools.cache
    def large_ones(self, file):
        """The large headers that a file gets, directly or through others."""
        seen, ahead, large = {file}, [file], set()
        while ahead:
            for name, found in self.of(ahead.pop()):
                if name in LARGE:
                    large.add(name)
                if found and found not in seen:
                    seen.add(found)
                    ahead.append(found)
        return tuple(name for name in LARGE if name in large)


def flags_of(entry):
    """A compile command for Clang without its names, its code generation and its debug information."""
    words = iter(shlex.split(entry["command"])[1:])
    kept = ["clang++", "-w"]
    for word in words:
        if word in ("-o", "-c", "-MF", "-MT"):
            next(words)
        elif not re.match(r"-(O|W|g\d?$|MD)", word):
            kept.append(word)
    return kept


def own_flags_of(entry):
    """A compile command of the build without its names, for the same compiler and with the same warnings."""
    words = iter(shlex.split(entry["command"]))
    kept = []
    for word in words:
        if word in ("-o", "-c", "-MF", "-MT"):
            next(words)
        elif word != "-MD":
            kept.append(word)
    return kept + ["-Werror", "-fsyntax-only"]


def precompile(place, compiler, large):
    """The large headers as one precompiled header; returns the flags that use it."""
    if not large:
        return []
    place.mkdir(parents=True, exist_ok=True)
    header = place / "large.h"
    header.write_text("".join(f"#include <{name}>\n" for name in large))
    precompiled = f"{header}.pch"
    subprocess.run(compiler + ["-fpch-instantiate-templates", "-x", "c++-header", header, "-o", precompiled], check=True)
    return ["-include-pch", precompiled]


class Check:
    def __init__(self, root, build):
        self.root, self.build = root, build
        self.includes = Includes(root)
        entries = json.loads((build / "compile_commands.json").read_text())
        self.sources = {pathlib.Path(entry["file"]).resolve(): entry for entry in entries}
        self.precompiled = {}

    def units(self):
        """(file, its compile command): all sources that are built here, then the headers beside them."""
        sources = [file for file in self.sources if file.is_relative_to(self.root) and
                   not file.is_relative_to(self.build)]
        of_folder = {file.parent: self.sources[file] for file in sources}
        for file in sources:
            yield file, self.sources[file]
        for name in tracked(self.root, "*.h"):
            # A folder without sources is compiled as the others are.
            if not self.shown_by_its_source(name):
                yield name, of_folder.get(name.parent) or self.nearest(name, of_folder)
        for name in tracked(self.root, "*.cc"):  # built elsewhere, such as the outpost's main
            if name not in self.sources and name.parent in of_folder:
                yield name, of_folder[name.parent]

    @staticmethod
    def nearest(name, of_folder):
        """The command of the folder with the longest way in common."""
        def in_common(folder):
            return len(os.path.commonpath([folder, name]))
        return of_folder[max(sorted(of_folder), key=in_common)]

    def compile_as_built(self, file):
        entry = self.sources.get(file)
        if not entry:
            return ""
        done = subprocess.run(own_flags_of(entry) + [str(file)], cwd=entry["directory"], text=True, capture_output=True)
        return f"{file.relative_to(self.root)} does not compile as it is built:\n{done.stderr}" if done.returncode else ""

    def shown_by_its_source(self, header):
        """A source that begins with its header, and gets nothing in front that the header does not include, shows it."""
        source = header.with_suffix(".cc")
        if source not in self.sources:
            return False
        first = INCLUDE.search(source.read_text())
        return (first and self.includes.find(first[2], source.parent) == header and
                self.includes.large_ones(source) == self.includes.large_ones(header))

    def prepare(self, units):
        """One precompiled header for each set of flags and large headers."""
        wanted = {}
        for file, entry in units:
            wanted[self.key(file, entry)] = entry
        for (flags, large), entry in wanted.items():
            name = hashlib.sha1(repr((flags, large)).encode()).hexdigest()[:12]
            self.precompiled[flags, large] = (self.build / "alone" / name, entry)

    def key(self, file, entry):
        # Definitions (but NDEBUG) and folders differ from target to target and change nothing in a large header.
        flags = tuple(word for word in flags_of(entry) if not re.match(r"-(I|D(?!NDEBUG$))", word))
        return flags, self.includes.large_ones(file)

    def precompile_all(self, pool):
        jobs = {key: pool.submit(precompile, place, list(key[0]), key[1])
                for key, (place, _) in self.precompiled.items()}
        self.precompiled = {key: job.result() for key, job in jobs.items()}

    def compile(self, unit):
        file, entry = unit
        command = flags_of(entry) + self.precompiled[self.key(file, entry)] + ["-fsyntax-only"]
        command += ["-include", str(file), "-x", "c++", "/dev/null"] if file.suffix == ".h" else [str(file)]
        done = subprocess.run(command, cwd=entry["directory"], text=True, capture_output=True)
        return f"{file.relative_to(self.root)} does not compile alone:\n{done.stderr}" if done.returncode else ""


def tracked(root, pattern):
    listed = subprocess.run(["git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard", pattern],
                            text=True, capture_output=True, check=True).stdout
    return [root / name for name in listed.split("\0") if name and (root / name).is_file()]


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    check = Check(root, pathlib.Path(sys.argv[1]).resolve())
    units = list(check.units())
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        check.prepare(units)
        check.precompile_all(pool)
        failures = 0
        recent = [pathlib.Path(name).resolve() for name in sys.argv[2:]]
        for failure in filter(None, itertools.chain(pool.map(check.compile, units),
                                                    pool.map(check.compile_as_built, recent))):
            failures += 1
            print(failure, flush=True)
    print(f"{len(units)} sources and headers alone, {len(recent)} again with the build's compiler: {failures} failures")
    sys.exit(bool(failures))


main()
