# SPDX-License-Identifier: BSD-3-Clause
#
#   R34: a name of the dead is not found, and their ports are refused
#   S5-13: processes are created and connected across nodes, on living ones with room
"""Published names: jobs whose mpiexec run on one machine have them in common, wherever their ranks are."""
import os

import pytest

from processes import wait_until
from ready import line_of

HERE = os.path.dirname(os.path.abspath(__file__))


@pytest.fixture
def program(machines, folder):
    path = os.path.join(folder, "published")
    done = machines.run(1, f"{machines.build}/stage/bin/mpicc", os.path.join(HERE, "published.c"), "-o", path)
    assert done.returncode == 0, done
    return path


def find(machines, mpiexec, program, mpiexec_on=1, hosts="m3"):
    done = machines.run(mpiexec_on, mpiexec, "--hosts", hosts, "-n", 1, program, "find", "a name")
    assert done.returncode == 0, done
    return done.stdout.strip()


def publish(machines, mpiexec, program, hosts):
    p = machines.begin(1, mpiexec, "--hosts", hosts, "-n", len(hosts.split(",")), program, "publish", "a name")
    up, _, port = line_of(p, 20).partition(" ")
    assert up == "up", p.communicate()
    return p, port


def test_names_of_several_jobs(machines, mpiexec, program):
    p, port = publish(machines, mpiexec, program, "m2")
    assert find(machines, mpiexec, program) == port  # on neither machine
    assert find(machines, mpiexec, program, hosts="m1") == port  # a job of one machine
    assert find(machines, mpiexec, program, mpiexec_on=2, hosts="m2") == "nothing"  # another machine's mpiexec
    p.kill()
    p.wait()
    wait_until(lambda: find(machines, mpiexec, program) == "nothing")


def test_the_machine_of_the_publisher_is_lost(machines, mpiexec, program):
    p, port = publish(machines, mpiexec, program, "m2,m3")
    assert find(machines, mpiexec, program, hosts="m3") == port
    machines.cut(2)
    wait_until(lambda: find(machines, mpiexec, program, hosts="m3") == "nothing")
    assert p.poll() is None  # the job goes on
