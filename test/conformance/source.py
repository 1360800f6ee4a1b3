# SPDX-License-Identifier: BSD-3-Clause
"""source.py – the source package of a program that we did not write, as the distribution ships it.

The original tar is downloaded by apt-get with lists of its own, so nothing of the system's configuration
changes, and unpacked in a working folder; nothing enters the source tree.
"""
import os
import re
import shlex
import shutil
import subprocess
import sys

TOOL = os.path.basename(sys.argv[0])


def say(text):
    print(text, flush=True)


def run(line, cwd, log, **more):
    """Runs a command with its output in a file; ends the script if it fails."""
    with open(log, "ab") as f:
        done = subprocess.run(line, cwd=cwd, stdout=f, stderr=f, check=False, **more)
    if done.returncode:
        with open(log, encoding="utf-8", errors="replace") as f:
            sys.stdout.write("".join(f.readlines()[-30:]))
        sys.exit(f"{TOOL}: {shlex.join(line)} failed; all output is in {log}")


def source_lists():
    """deb-src lines for every Debian archive that this machine already uses."""
    fields = "$(REPO_URI)|$(RELEASE)|$(COMPONENT)|$(ORIGIN)"
    listed = subprocess.run(["apt-get", "indextargets", "--format", fields, "Created-By: Packages"],
                            text=True, stdout=subprocess.PIPE, check=True).stdout
    keyring = "/usr/share/keyrings/debian-archive-keyring.gpg"
    lines = []
    for uri, release, component, origin in (x.split("|") for x in listed.split()):
        signed = f"[signed-by={keyring}] " if origin == "Debian" and os.path.exists(keyring) else ""
        if component == "main" and origin in ("Debian", "Ubuntu"):
            lines.append(f"deb-src {signed}{uri} {release} {component}")
    return sorted(set(lines))


def fetch(package, work, what):
    """The folder of the package's original tar, unpacked below work; `what` is its name in words."""
    folder = os.path.join(work, f"{package}-source")
    if os.path.isdir(folder):
        return folder
    apt, log = os.path.join(work, "apt"), os.path.join(work, f"fetch-{package}.log")
    for place in ("lists/partial", "cache/archives/partial"):
        os.makedirs(os.path.join(apt, place), exist_ok=True)
    with open(os.path.join(apt, "sources.list"), "w", encoding="utf-8") as f:
        f.write("\n".join(source_lists()) + "\n")
    options = ["-o", f"Dir::Etc::SourceList={apt}/sources.list", "-o", "Dir::Etc::SourceParts=/dev/null",
               "-o", f"Dir::State::Lists={apt}/lists", "-o", f"Dir::Cache={apt}/cache",
               "-o", "APT::Sandbox::User="]
    say(f"Fetching the source package of {what}")
    run(["apt-get", *options, "update"], work, log)
    run(["apt-get", *options, "--download-only", "--tar-only", "source", package], work, log)
    tars = [f for f in os.listdir(work) if re.match(rf"{package}_.*\.orig\.tar\.[a-z0-9]+$", f)]
    if len(tars) != 1:
        sys.exit(f"{TOOL}: expected one original tar in {work}, found {tars}")
    part = folder + ".part"  # what is unpacked in part only is not taken for the source
    shutil.rmtree(part, ignore_errors=True)
    os.mkdir(part)
    run(["tar", "xf", tars[0], "-C", part, "--strip-components=1"], work, log)
    os.rename(part, folder)
    return folder
