# SPDX-License-Identifier: BSD-3-Clause
"""report.py – from samples to figures, ratios and verdicts; as text and as markdown."""
from machine import cores
from rows import LIMITS

SPREAD_SHOWN = 0.25
MANY = 20
TITLES = {"mend": "Mend", "mpich": "MPICH", "openmpi": "Open MPI"}


def quantile(values, q):
    """The median of an even number is the mean of the two in the middle; else the nearest rank."""
    v = sorted(values)
    n = len(v)
    if q == 0.5:
        return (v[(n - 1) // 2] + v[n // 2]) / 2
    return v[min(n - 1, max(0, -int(-q * n // 1) - 1))]


def figure(values, q):
    """median (or another quantile), what it lies between, and all samples.  Many samples are events, not
    repetitions of one figure: for them p10 and p90."""
    if not values:
        return None
    middle = quantile(values, q)
    many = len(values) > MANY
    low, high = (quantile(values, 0.1), quantile(values, 0.9)) if many else (min(values), max(values))
    return {"value": middle, "low": low, "high": high, "samples": values,
            "spread": (high - low) / middle if middle else 0}


def by_state(row, bench):
    """state -> {(label, library): samples}; figures of libraries that are compared are of the same
    repetitions and the same state (machine.py)."""
    labels = [row.label] + ([row.against] if row.against not in ("peers", None) else [])
    labels += [row.plain] if row.plain else []
    all_ = {(label, key): bench.samples.get((row.group, label, key), [])
            for label in labels for key in TITLES}
    there = {k: v for k, v in all_.items() if v}
    reps = {k: {(rep, bench.distances.state(probes)) for _, rep, probes in v if probes}
            for k, v in there.items()}
    common = set.intersection(*reps.values()) if reps and all(reps.values()) else set()
    states = sorted({s for _, s in common if s})
    if not states:  # one state, or not probed, or never the same
        return {"": {k: [x[0] for x in v] for k, v in there.items()}}
    return {s: {k: [x[0] for x in v if (x[1], s) in common and bench.distances.state(x[2]) == s]
                for k, v in there.items()} for s in states}


def judge(row, bench, noisy):
    """The results of one row, one for each state of the machine."""
    return [judge_state(row, state, samples, bench, noisy)
            for state, samples in by_state(row, bench).items()]


def judge_state(row, state, samples, bench, noisy):
    """Figures of the libraries, ratio, verdict."""
    shares = bench.foreign.get(row.group, [])
    result = {"title": row.title + (f", {state}" if state else ""), "state": state,
              "unit": row.unit, "more": row.more, "target": target_text(row),
              "noisy": bool(shares) and quantile(shares, 0.5) > noisy, "ratio": None, "limit": None,
              "figures": {}, "against": row.against, "base": None, "met": None,
              "applies": applies(row), "troubles": {},
              "row": {"limits": list(row.limits), "bytes": row.bytes},
              "plain": figure(samples.get((row.plain, "mend"), []), 0.5)}
    for key in TITLES:
        wrong = bench.troubles.get((row.group, key))
        if wrong:
            result["troubles"][key] = wrong
        result["figures"][key] = None if wrong else figure(samples.get((row.label, key), []),
                                                           row.quantile)
    mend = result["figures"]["mend"]
    peers = [result["figures"][k]["value"] for k in ("mpich", "openmpi") if result["figures"][k]]
    if not mend:
        return result
    if row.against == "peers" and peers:
        compare(result, row, mend["value"], max(peers) if row.more else min(peers))
    elif row.against not in ("peers", None):
        base = figure(samples.get((row.against, "mend"), []), 0.5)
        if base:
            result["base"] = {"name": row.against, **base}
            compare(result, row, mend["value"], base["value"])
    elif row.against is None:
        result["limit"] = row.target
        result["met"] = mend["value"] <= row.target
    return result


def compare(result, row, mine, other):
    """A row with `plus` has a limit in its own unit: so much more than the other figure."""
    result["ratio"] = mine / other
    result["limit"] = row.target * other + row.plus if row.plus else row.target
    figure_ = mine if row.plus else result["ratio"]
    result["met"] = figure_ >= result["limit"] if row.more else figure_ <= result["limit"]


def applies(row):
    """Whether a target with a condition holds on this machine."""
    return not row.condition or int(row.group.split("-")[1]) - 1 <= cores()


def target_text(row):
    sign = "≥" if row.more else "≤"
    if row.against is None:
        return f"{sign} {row.target:g} {row.unit}" + (f" ({row.condition})" if row.condition else "")
    if row.plus:
        return f"≤ {row.against} + {row.plus:g} {row.unit}"
    return f"{sign} {row.target:.2f}"


def number(x):
    if x is None:
        return "-"
    return f"{x:.3g}" if abs(x) < 100 else f"{x:.0f}"


def shown(f):
    if not f:
        return "-"
    return number(f["value"]) + ("~" if f["spread"] > SPREAD_SHOWN else "")


def verdict(result):
    wrong = result["troubles"].get("mend")
    if wrong:
        return "WRONG" if "WRONG" in wrong else "FAILED"
    if result["met"] is None:
        return "-"
    if result["met"]:
        return "met"
    return "missed" if result["applies"] else "(missed)"


def floor(result, limits):
    """What the machine can do of this without a library, in the row's unit; None: not measured."""
    row, found = result["row"], limits.get(result["state"], {})
    values = []
    for label in row["limits"]:
        value, how = found.get(label), dict((x[0], x[2]) for x in LIMITS)[label]
        if value and how == "ns":
            values.append(value / 1000)
        elif value:
            values.append(row["bytes"] / value if row["bytes"] else value)
    return (max(values) if result["more"] else min(values)) if values else None


def without_library(result, limits):
    if result["plain"]:
        return shown(result["plain"])
    return number(floor(result, limits)) if result["row"]["limits"] else ""


def cells(result, limits):
    f = result["figures"]
    ratio = f"{result['ratio']:.2f}" if result["ratio"] is not None else "-"
    against = f"{result['base']['name']} {shown(result['base'])}" if result["base"] else None
    return [result["title"], shown(f["mend"]), against or shown(f["mpich"]),
            "" if against else shown(f["openmpi"]), without_library(result, limits),
            result["unit"], ratio, result["target"],
            verdict(result) + (" !" if result["noisy"] else "")]


HEAD = ["measure", "Mend", "MPICH", "Open MPI", "no library", "unit", "ratio", "target", "verdict"]


def limit_table(limits):
    """[[title, figure for each state, unit]], or []."""
    states = sorted(limits)
    lines = [["without MPI", *(f"cores {s}" if s else "" for s in states), "unit"]]
    for label, title, unit in LIMITS:
        values = [limits[s].get(label) for s in states]
        if any(values):
            lines.append([title, *map(number, values), unit])
    return lines if len(lines) > 1 else []


def distance_lines(results, limits):
    """How far the 8-byte latency is from what the machine can do."""
    for r in results:
        line = limits.get(r["state"], {}).get("line:1")
        if r["title"].startswith("latency, 8 bytes") and r["figures"]["mend"] and line:
            yield (f"{r['title']}: Mend takes {r['figures']['mend']['value'] * 1000 / line:.2f} times "
                   f"as long as a cache line that both write ({line:.0f} ns)")


def sum_line(results):
    counted = [r for r in results if r["met"] is not None and r.get("applies", True)]
    met = sum(r["met"] for r in counted)
    return f"{met} of {len(counted)} targets met"


def columns(table, left):
    """Lines of a table for the terminal; the first `left` columns, and the last, to the left."""
    widths = [max(len(line[i]) for line in table) for i in range(len(table[0]))]
    for line in table:
        yield "  ".join(c.ljust(w) if i in left else c.rjust(w)
                        for i, (c, w) in enumerate(zip(line, widths))).rstrip()


def as_text(results, limits, about):
    lines = list(columns([HEAD] + [cells(r, limits) for r in results], (0, 7, 8)))
    lines.insert(1, "-" * max(map(len, lines)))
    if limits:
        lines += ["", *columns(limit_table(limits), (0,))]
    lines += ["", *distance_lines(results, limits), *state_lines(about)]
    return "\n".join(["", *lines, sum_line(results), ""])


def state_lines(about):
    states = {k: v for k, v in about["cache line ns"].items() if k}
    if states:
        yield ("the host has moved this machine's cores: " +
               ", ".join(f"{k}: a cache line takes {v:.0f} ns" for k, v in sorted(states.items())))


def as_markdown(results, limits, about):
    lines = ["# Benchmark results", ""]
    lines += [f"- {about['cpu']}, {about['cores']} cores, Linux {about['kernel']}, {about['date']}",
              "- " + "; ".join(f"{k}: {v}" for k, v in about["libraries"].items()),
              f"- {about['repetitions']} repetitions, the libraries taking turns; medians; priority: "
              f"{about['priority']}; load average {about['load']:.1f}",
              "- `~`: (max - min) / median (many samples: p90 - p10) is above 25 %; `!`: others used "
              "more than 10 % of the machine; a verdict in parentheses: the target's condition does "
              "not hold here", *(f"- {x}" for x in state_lines(about)), ""]
    lines += ["| " + " | ".join(HEAD) + " |", "|---|---:|---:|---:|---:|---|---:|---|---|"]
    lines += ["| " + " | ".join(cells(r, limits)) + " |" for r in results]
    if limits:
        head, *table = limit_table(limits)
        lines += ["", "| " + " | ".join(head) + " |", "|---|" + "---:|" * (len(head) - 2) + "---|"]
        lines += ["| " + " | ".join(line) + " |" for line in table]
    lines += ["", *(f"{x}.  " for x in distance_lines(results, limits)), "", sum_line(results) + ".", "",
              "![results](results.svg)", ""]
    return "\n".join(lines)
