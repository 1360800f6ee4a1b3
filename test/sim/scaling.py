#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""scaling.py – puts what test/sim/long printed into the tables of doc/scaling.md, and draws doc/scaling.svg
and doc/leases.svg.

Usage: test/sim/long > LOG; test/sim/scaling.py LOG...

A table stands between <!-- NAME --> and <!-- end -->; the words around it are the document's.  One of which the logs say nothing
stays as it is.
/usr/bin/python3 is the Python for which the distribution has matplotlib (tools/install-deps plot).
"""
import os
import re
import sys

from matplotlib.figure import Figure

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "test"))
from pictures import save  # noqa: E402

SEARCH = re.compile(r"^(\w+): (\d+) states, (\d+) steps, (\d+) ends, longest path (\d+), ([\d.]+) s, (\w+)$")
RANDOM = re.compile(r"^(\w+): (\d+) seeds from \d+, up to (\d+) ranks, (\d+) steps, (\d+) messages, ([\d.]+) s$")
COST = re.compile(r"^ *(\d+) (\S+) +([\d.]+) +(\d+) +(\d+)$")
LEASES = re.compile(r"^  virtual time: \d+ s; messages that an agent sends in a second, of (\d+) bytes: ([\d.]+); the one that sends most: (\d+)$")
WORDS = re.compile(r"^  words to and of the root, and calls: ([\d.]+) in a run$")
JOB = re.compile(r"^job-(\w+): (\d+) runs, (\d+) failed$")
SHOWN = [2, 16, 64, 256, 1024, 4096, 10000]
COLUMNS = [("allreduce", "allreduce"), ("reduce+bcast", "reduce, bcast"), ("agree", "agreement"),
           ("agree-radix-4", "radix 4"), ("agree-root-dies", "root dies"),
           ("agree-children-die", "children die"), ("agree-roots-die", "roots die"), ("shrink", "shrink")]
CURVES = [("allreduce", "#9aa0a6"), ("reduce+bcast", "#6b4fa0"), ("agree", "#2a7f4f"),
          ("agree-radix-4", "#6fbf8f"), ("agree-root-dies", "#b5382a"), ("agree-children-die", "#d98a00"),
          ("shrink", "#2f6fb0")]
TITLES = dict(COLUMNS)


def read(names):
    """What the logs say: {command: [matches]} for each kind, and {(what, ranks): cost}."""
    found = {"search": {}, "random": [], "jobs": {}, "costs": {}, "leases": {}, "words": {}}
    command = ""
    for name in names:
        with open(name, encoding="utf-8") as f:
            for row in f:
                row = row.rstrip("\n")
                if row.startswith("$ "):
                    command = row[2:].replace("mend-sim ", "")
                elif SEARCH.match(row):
                    found["search"][command] = SEARCH.match(row).groups()
                elif RANDOM.match(row) and "--budget" in command:
                    found["random"].append(RANDOM.match(row).groups())
                elif JOB.match(row):
                    name_, runs, failed = JOB.match(row).groups()
                    before = found["jobs"].get(name_, (0, 0))
                    found["jobs"][name_] = (before[0] + int(runs), before[1] + int(failed))
                elif COST.match(row):
                    ranks, what, us, messages, most = COST.match(row).groups()
                    found["costs"][what, int(ranks)] = (float(us), int(messages), int(most))
                elif LEASES.match(row) and "--crashes 0" in command:
                    found["leases"][tree(command)] = tuple(map(float, LEASES.match(row).groups()))
                elif WORDS.match(row) and "--replace" not in command:
                    found["words"][(*tree(command), option(command, "victim", 0))] = float(WORDS.match(row).group(1))
                elif row.startswith("wrong: "):
                    sys.exit(f"{name}: {row}")
    return found


def grouped(n):
    return f"{int(n):,}".replace(",", " ")


def option(command, name, default):
    match = re.search(rf"--{name} (\d+)", command)
    return int(match.group(1)) if match else default


def search_table(rows):
    yield "| what | processes | deaths | wrong suspicions | agreements | states | transitions | emptied | s |"
    yield "|---|---:|---:|---:|---:|---:|---:|---|---:|"
    order = ["agree", "memory", "lock", "look", "birth", "contact", "port", "nodes", "detector"]
    key = lambda r: (order.index(r[1][0]), option(r[0], "ranks", 3))  # noqa: E731
    for command, (play, states, steps, _, _, seconds, complete) in sorted(rows, key=key):
        extra = []
        if play == "contact":
            extra += ["late", "equal numbers"][:option(command, "window", 1) - 1]
        elif option(command, "window", 1) > 1:
            extra.append(f"{option(command, 'window', 1)} " + {"lock": "targets", "look": "windows"}.get(play, "at once"))
        if play == "nodes":
            extra = [f"{option(command, 'nodes', 2)} nodes"] + extra
            extra += [f"{option(command, name, 0)} {what}" for name, what in (("agent-crashes", "of them may be lost"),
                      ("aborts", "aborts"), ("revocations", "revokes"), ("outside", "outside")) if f"--{name}" in command]
        if "--papers" in command:
            extra.append("papers")
        if "--reorder" in command:
            extra.append("overtaking")
        if "--free" in command and play == "port":
            extra.append("disconnecting")
        if play == "port" and option(command, "instances", 1) > 1:
            extra.append(f"{option(command, 'instances', 1)} calls")
        if play == "contact" and option(command, "instances", 1) > 1:
            extra.append(f"{option(command, 'instances', 1)} questions each")
        if "--replace" in command:
            extra.append("replacing")
        if "--inter" in command:
            extra.append(f"{option(command, 'inter', 0)} ask" if play == "birth" else "two groups")
        if "--comms" in command:
            extra.append("two communicators")
        if "--creation" in command:
            extra.append("creation")
        if "--validation" in command:
            extra.append("validation")
        if "--brief" in command:
            extra.append("words")
        if "--fine" in command:
            extra.append("fine")
        if "--radix" in command:
            extra.append(f"radix {option(command, 'radix', 2)}")
        crashes = option(command, "crashes", 0 if play == "detector" else 1)
        deaths = "any" if play == "detector" else crashes
        instances = option(command, "instances", 1) if play in ("agree", "memory", "nodes") else "–"
        yield (f"| {play}{', ' if extra else ''}{', '.join(extra)} | {option(command, 'ranks', 3)} | {deaths} | "
               f"{option(command, 'suspicions', 0)} | {instances} | {grouped(states)} | {grouped(steps)} | "
               f"{'yes' if complete == 'complete' else 'NO'} | {float(seconds):.0f} |")


def random_table(rows):
    """Runs of the same kind are added up."""
    total = {}
    for play, *figures in rows:
        seeds, ranks, steps, messages, seconds = map(float, figures)
        old = total.get(play, (0, 0, 0, 0, 0))
        total[play] = (old[0] + seeds, max(old[1], ranks), old[2] + steps, old[3] + messages,
                       old[4] + seconds)
    yield "| what | seeds | up to ranks | steps | messages | s |"
    yield "|---|---:|---:|---:|---:|---:|"
    for play, (seeds, ranks, steps, messages, seconds) in total.items():
        yield (f"| {play} | {grouped(seeds)} | {ranks:.0f} | {grouped(steps)} | {grouped(messages)} | "
               f"{seconds:.0f} |")
    yield f"| all | | | **{grouped(sum(t[2] for t in total.values()))}** | | |"


def jobs_table(jobs):
    yield "| program | runs | failed |"
    yield "|---|---:|---:|"
    for name in sorted(jobs):
        yield f"| `{name}.c` | {grouped(jobs[name][0])} | {jobs[name][1]} |"


def cost_table(costs, cell):
    yield "| ranks | " + " | ".join(title for _, title in COLUMNS) + " |"
    yield "|---:" * (len(COLUMNS) + 1) + "|"
    for ranks in SHOWN:
        cells = [cell(costs, what, ranks) if (what, ranks) in costs else "" for what, _ in COLUMNS]
        yield f"| {ranks} | " + " | ".join(cells) + " |"


def us_cell(costs, what, ranks):
    us, least = costs[what, ranks][0], costs["allreduce", ranks][0]
    return f"{us:.1f}" + ("" if what == "allreduce" else f" ({us / least:.1f})")


def messages_cell(costs, what, ranks):
    return grouped(costs[what, ranks][1])


HEADERS = 28  # bytes, of UDP and IP
RADIXES = [(2, "radix 2", "#2f6fb0"), (32, "radix 32", "#2a7f4f"), (4096, "flat", "#b5382a")]


def tree(command):
    return option(command, "ranks", 0), option(command, "radix", 0)


def per_loss(found, ranks, radix, victim):
    """Words of a run in which this agent dies, without those of its beginning."""
    words = found["words"]
    if (ranks, radix, victim) not in words:
        return None
    return words[ranks, radix, victim] - words[ranks, radix, 0]


def per_leaf(found, ranks, radix):
    return per_loss(found, ranks, radix, ranks - 1)


def per_inner(found, ranks, radix):
    """Of the first child of the root, which has 32 children itself."""
    return per_loss(found, ranks, radix, 1)


def lease_table(found):
    yield ("| nodes | tree | messages of an agent in a second | bytes, with headers | the agent that sends most | bytes, with headers | "
           "words when a leaf is lost | an inner node |")
    yield "|---:|---|---:|---:|---:|---:|---:|---:|"
    for ranks, radix in sorted(found["leases"]):
        size, mean, most = found["leases"][ranks, radix]
        words = [per_leaf(found, ranks, radix), per_inner(found, ranks, radix)]
        cells = [f"{n:g} | {grouped(n * size)} ({grouped(n * (size + HEADERS))})" for n in (mean, most)]
        cells += ["–" if n is None else f"{n:.1f}" for n in words]
        yield f"| {ranks} | {next(t for r, t, _ in RADIXES if r == radix)} | {' | '.join(cells)} |"


def curve(axes, nodes, value, color, title, style="-"):
    line = [(n, value(n)) for n in nodes if value(n) is not None]
    if line:
        axes.plot(*zip(*line), style, color=color, label=title, marker=".")


def draw_leases(found, path):
    figure = Figure(figsize=(12, 4), layout="constrained")
    mean, most, loss = figure.subplots(1, 3)
    for radix, title, color in RADIXES:
        nodes = [n for n, r in sorted(found["leases"]) if r == radix]
        curve(mean, nodes, lambda n, r=radix: found["leases"][n, r][1], color, title)
        curve(most, nodes, lambda n, r=radix: found["leases"][n, r][2], color, title)
        curve(loss, nodes, lambda n, r=radix: per_leaf(found, n, r), color, f"{title}: a leaf", "--")
        curve(loss, nodes, lambda n, r=radix: per_inner(found, n, r), color, f"{title}: an inner node")
    for axes, title in ((mean, "messages in a second: each agent"), (most, "the agent that sends most"),
                        (loss, "words when a node is lost")):
        axes.set_xscale("log")
        axes.set(title=title, xlabel="nodes (logarithmic)", ylim=(0, 1.1 * axes.get_ylim()[1]))
        axes.minorticks_off()
        axes.grid(color="#dddddd")
    most.set_yscale("log")
    most.set_ylim(10, None)
    mean.legend(fontsize=8)
    loss.legend(fontsize=8, loc="center right")
    save(figure, path)


def panel(axes, costs, title, most, value):
    """One diagram: ranks to the right, logarithmic; value(what, ranks) upwards."""
    for what, color in CURVES:
        line = [(n, value(what, n)) for w, n in sorted(costs, key=lambda k: k[1]) if w == what and n <= 10000]
        axes.plot(*zip(*[(n, v) for n, v in line if v <= most] or [(None, None)]), color=color,
                  label=TITLES[what])
    axes.set_xscale("log", base=2)
    axes.set_xticks([2, 8, 32, 128, 512, 2048, 10000], [2, 8, 32, 128, 512, 2048, 10000])
    axes.set(title=title, xlabel="ranks (logarithmic)", ylim=(0, most))
    axes.minorticks_off()
    axes.grid(color="#dddddd")


def draw(costs, path):
    allreduce = {n: us for (what, n), (us, _, _) in costs.items() if what == "allreduce"}
    figure = Figure(figsize=(12, 5), layout="constrained")
    left, right = figure.subplots(1, 2)
    panel(left, costs, "latency in a LogGP network, µs", 120, lambda what, n: costs[what, n][0])
    panel(right, costs, "relative to an allreduce of 8 bytes", 6, lambda what, n: costs[what, n][0] / allreduce[n])
    left.legend(fontsize=8)
    save(figure, path)


def main():
    if len(sys.argv) < 2 or sys.argv[1] in ("-h", "--help"):
        print(__doc__)
        sys.exit(0 if len(sys.argv) > 1 else 2)
    found = read(sys.argv[1:])
    tables = {"search": search_table(found["search"].items()), "random": random_table(found["random"]),
              "jobs": jobs_table(found["jobs"]), "latency": cost_table(found["costs"], us_cell),
              "messages": cost_table(found["costs"], messages_cell), "leases": lease_table(found)}
    said = {**found, "latency": found["costs"], "messages": found["costs"]}
    tables = {table: rows for table, rows in tables.items() if said[table]}
    name = os.path.join(ROOT, "doc", "scaling.md")
    with open(name, encoding="utf-8") as f:
        document = f.read()
    for table, rows in tables.items():
        before, rest = document.split(f"<!-- {table} -->\n")
        document = before + f"<!-- {table} -->\n" + "\n".join(rows) + "\n" + rest[rest.index("<!-- end -->"):]
    with open(name, "w", encoding="utf-8") as f:
        f.write(document)
    if "latency" in tables:
        draw(found["costs"], os.path.join(ROOT, "doc", "scaling.svg"))
    if "leases" in tables:
        draw_leases(found, os.path.join(ROOT, "doc", "leases.svg"))


if __name__ == "__main__":
    main()
