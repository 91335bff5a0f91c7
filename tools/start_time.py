#!/usr/bin/env python3
"""How long programs take to start: start_time.py [--rounds N] PROGRAM...

For each of them the median of `--version`, and of `mcp` up to its reply to initialize. With several
programs they take turns, so that what else the machine does hits all of them alike."""
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

INITIALIZE = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
    "protocolVersion": "2025-06-18", "capabilities": {},
    "clientInfo": {"name": "start_time", "version": "1"}}}).encode() + b"\n"


def version_ms(program, environment):
    began = time.perf_counter()
    subprocess.run([program, "--version"], env=environment, stdout=subprocess.DEVNULL, check=True)
    return (time.perf_counter() - began) * 1000


def initialize_ms(program, environment):
    began = time.perf_counter()
    with subprocess.Popen([program, "mcp"], env=environment, stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE) as server:
        server.stdin.write(INITIALIZE)
        server.stdin.flush()
        reply = server.stdout.readline()
        took = (time.perf_counter() - began) * 1000
        server.stdin.close()
        server.wait(timeout=20)
    if b'"serverInfo"' not in reply:
        sys.exit(f"start_time: {program} mcp did not answer initialize: {reply!r}")
    return took


def main():
    arguments = sys.argv[1:]
    rounds = 15
    if arguments[:1] == ["--rounds"]:
        rounds, arguments = int(arguments[1]), arguments[2:]
    with tempfile.TemporaryDirectory() as home:
        environment = {"HOME": home, "PATH": os.environ["PATH"]}
        times = {program: ([], []) for program in arguments}
        for _ in range(rounds):
            for program, (version, initialize) in times.items():
                version.append(version_ms(program, environment))
                initialize.append(initialize_ms(program, environment))
    for program, (version, initialize) in times.items():
        print(f"start of {program}: --version {statistics.median(version):.1f} ms, "
              f"mcp to its initialize reply {statistics.median(initialize):.1f} ms "
              f"(medians of {rounds})")


main()
