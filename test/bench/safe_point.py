#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""safe_point.py – what safe points cost, each way of recording in turn: tables, and a picture.

Usage: test/bench/safe_point.py [--repeat N] [--plot FILE.svg] [pages] [touched] [kernel] [job]

Needs `make`; mpicc and mpiexec are those of build/stage/bin.  safe_point.c says what is measured.  Of several repetitions the
median is shown, for the kernel with its quartiles, since its figures scatter.
"""
import argparse
import collections
import os
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
BIN = os.path.join(HERE, "..", "..", "build", "stage", "bin")
WAYS = ["track", "protect", "drop", "copy_back", "fork", "full"]


def run(program, what, way, ranks=1):
    setting = ["--set", f"SAFE_POINT={way}"] if way else []
    command = [os.path.join(BIN, "mpiexec"), "-n", str(ranks), *setting, program, what]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode:
        sys.exit(f"{' '.join(command)}: {result.stderr}")
    return [line.split("\t") for line in result.stdout.splitlines() if "\t" in line]


def collect(program, what, ways, repeat, ranks=1):
    """{row: {way: [figures]}}; the ways take turns."""
    found = collections.defaultdict(lambda: collections.defaultdict(list))
    for _ in range(repeat):
        for way in ways:
            for name, figure in run(program, what, way, ranks):
                found[name][way].append(float(figure))
    return found


def table(found, ways, show):
    print("| | " + " | ".join(f"`{w}`" for w in ways) + " |")
    print("|---" * (len(ways) + 1) + "|")
    for name, row in found.items():
        print(f"| {name} | " + " | ".join(show(row[w]) for w in ways) + " |")
    print()


def plot(touched, by_hand, path):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    sys.path.insert(0, os.path.join(HERE, ".."))
    import pictures

    figure, axes = plt.subplots(figsize=(7, 4))
    parts = sorted(float(x) for x in touched)
    for way in WAYS:
        axes.plot(parts, [statistics.median(touched[f"{x:g}"][way]) for x in parts], marker="o", markersize=3, label=way)
    fork = sorted((float(x), y) for what, x, y in by_hand if what == "fork")
    axes.plot([x for x, _ in fork], [y for _, y in fork], "k--", linewidth=1, label="fork() alone")
    copy = [y for what, _, y in by_hand if what == "copy"]
    axes.plot(parts, copy * len(parts), "k:", linewidth=1, label="memcpy() of everything")
    axes.set_xscale("log", base=4)
    axes.set_xticks(parts, [f"1/{round(1 / x)}" if x < 1 else "all" for x in parts])
    axes.set_yscale("log")
    axes.set_xlabel("part of 64 MiB that is written to, scattered")
    axes.set_ylabel("ms of processor time per interval")
    axes.legend(fontsize=8, ncol=2)
    figure.tight_layout()
    pictures.save(figure, path)


def measure_touched(program, repeat, path):
    found = collect(program, "touched", WAYS, repeat)
    by_hand = collections.defaultdict(list)
    for _ in range(repeat):
        for what, part, figure in run(program, "by_hand", None):
            by_hand[what, float(part)].append(float(figure))
    rows = [(what, part, statistics.median(v)) for (what, part), v in by_hand.items()]
    table(found, WAYS, lambda v: f"{statistics.median(v):.1f}")
    for row in rows:
        print("by hand, %s, %g: %.1f ms" % row)
    if path:
        plot(found, rows, path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--plot")
    parser.add_argument("what", nargs="*", default=["pages", "touched", "kernel", "job"])
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "safe_point")
        source = os.path.join(HERE, "safe_point.c")
        subprocess.run([os.path.join(BIN, "mpicc"), "-O2", "-o", program, source], check=True)
        if "pages" in options.what:
            table(collect(program, "pages", WAYS, options.repeat), WAYS, lambda v: f"{statistics.median(v):.0f}")
        if "touched" in options.what:
            measure_touched(program, options.repeat, options.plot)
        if "kernel" in options.what:
            quartiles = lambda v: "%.1f (%.1f … %.1f)" % (statistics.median(v), *statistics.quantiles(v, n=4)[::2])
            with_none = collect(program, "kernel", WAYS, max(options.repeat, 5))
            for name, row in collect(program, "idle", [None], max(options.repeat, 5)).items():
                with_none[name]["none"] = row[None]
            table(with_none, ["none", *WAYS], quartiles)
        if "job" in options.what:
            table(collect(program, "job", WAYS, options.repeat, 4), WAYS, lambda v: f"{statistics.median(v):.2f}")


if __name__ == "__main__":
    main()
