# SPDX-License-Identifier: BSD-3-Clause
#
#   S3-2: process failures are detected
#   S3-7: the library may end the excluded process
#   S3-10: a running process is not suspected
#   S3-14: the detector may be perfect
"""Ranks in PID namespaces of their own, as in containers."""
import subprocess

import pytest

from processes import CAUSES, LIMIT, marked, nothing_is_left_after, processes_with


def need_namespaces(flags):
    if subprocess.run(["unshare", *flags, "true"], capture_output=True).returncode != 0:
        pytest.skip(f"unshare {' '.join(flags)} is not permitted here")


@pytest.mark.parametrize("what, cause, code", CAUSES)
@pytest.mark.parametrize("flags", ["-pf", "-Urpf"])
def test_deaths_in_namespaces(probe, run, flags, what, cause, code):
    """S3-2, S3-7, S3-14: the same where each rank has PID 2 in a PID namespace of its own, as in a container: the
    number that a rank gives itself is not believed, but what the kernel says of its socket."""
    need_namespaces([flags])
    mark, env = marked()
    r = run("--stop-timeout", 0.3, "-n", 3, "unshare", flags, "sh", "-c", f"{probe} pair {what}; exit $?", env=env)
    assert r.out.splitlines()[0] == f"rank 1 cause {cause} code {code} fate 1"
    assert "rank 1 (pid " in r.err
    assert processes_with(mark) == []


def test_namespaces_spare_bystanders(mpiexec, probe):
    """S3-10: no process is killed because its number outside is that of a rank inside of its PID namespace."""
    need_namespaces(["-pf", "--mount-proc"])
    script = (f"sleep 100 & sleep 100 & sleep 100 & {mpiexec} --stop-timeout 0.3 -n 3 unshare -pf sh -c "
              f"'{probe} pair stop; exit $?'; ls -d /proc/2 /proc/3 /proc/4; kill %1 %2 %3")
    p = subprocess.run(["unshare", "-pf", "--mount-proc", "sh", "-c", script], capture_output=True, timeout=LIMIT)
    out = p.stdout.decode()
    assert "rank 1 cause 4 code 0 fate 1" in out
    assert "/proc/2\n/proc/3\n/proc/4\n" in out


def test_killed_mpiexec_in_namespaces(probe, start):
    """If mpiexec is killed nothing is left of the ranks in PID namespaces, and nobody else is killed."""
    need_namespaces(["-pf"])
    nothing_is_left_after(subprocess.Popen.kill, start, "-n", 2, "setsid", "-w", "unshare", "-pf", "sh", "-c",
                          f"{probe} up; exit $?", lines=2)
