#!/usr/bin/env python3
"""Checks every #include against src/LAYERS, who may write to stdout, and who may start programs.
Usage: check_layers.py src"""
import pathlib
import re
import sys

# The only files that may write to standard output: elsewhere it belongs to the protocol.
STDOUT_FILES = {"mcp/stdio.cc", "cli/render.cc", "cli/exec_command.cc", "cli/standard_streams.cc",
                "cli/terminal_rescue.cc", "cli/top_screen.cc", "link/askpass_helper.cc"}
STDOUT = re.compile(r"std::cout|\bprintf\(|\bputs\(|STDOUT_FILENO")

# The only files that may start another program. What it sees of our environment is an argument there,
# and comes from base/child_environment.h; only main knows the variables that hold secrets.
STARTING_FILES = {"app/main.cc", "base/subprocess.cc", "cli/edit_command.cc", "ops/worker_process.cc"}
STARTING = re.compile(r"\bexec[lv]p?e?\(|\bposix_spawnp?\(|\bpopen\(|\bsystem\(|\benviron\b")


def read_layers(root):
    allowed = {}
    for line in (root / "LAYERS").read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            name, _, rooms = line.partition(":")
            allowed[name.strip()] = rooms.split()
    return allowed


def check_order(allowed):
    order = list(allowed)
    for room, rooms in allowed.items():
        for other in rooms:
            if other not in allowed:
                yield f"LAYERS: {room} names {other}, which is not a room"
            elif order.index(other) >= order.index(room):
                yield f"LAYERS: {room} names {other}, which does not stand above it"


def check_file(root, file, allowed):
    path = file.relative_to(root)
    room = path.parts[0]
    if room not in allowed:
        yield f"{path}: the room {room} is not in LAYERS"
        return
    for number, line in enumerate(file.read_text().splitlines(), 1):
        included = re.match(r'#include "([a-z_]+)/', line)
        if included and included[1] != room and included[1] not in allowed[room]:
            yield f"{path}:{number}: {room} must not include {included[1]}"
        # The far side is another program: its stdout is the link. main wires descriptors.
        speaks = STDOUT.search(line.split("//")[0])
        if speaks and room not in ("outpost", "app") and str(path) not in STDOUT_FILES:
            yield f"{path}:{number}: only {', '.join(sorted(STDOUT_FILES))} may write to stdout"
        starts = STARTING.search(line.split("//")[0])
        if starts and room != "outpost" and str(path) not in STARTING_FILES:
            yield f"{path}:{number}: only {', '.join(sorted(STARTING_FILES))} may start programs"


def main():
    root = pathlib.Path(sys.argv[1])
    allowed = read_layers(root)
    bad = list(check_order(allowed))
    for file in sorted(root.rglob("*.[hc]*")):
        if not re.search(r"(_test|_testing)\.(cc|h)$|test_client\.h$", file.name):
            bad.extend(check_file(root, file, allowed))
    print("\n".join(bad) if bad else f"{len(allowed)} rooms, no wrong include")
    sys.exit(bool(bad))


main()
