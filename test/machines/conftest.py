# SPDX-License-Identifier: BSD-3-Clause
"""Tests on several machines: /usr/bin/python3 -m pytest test/machines [--build DIR]

They take the options and the time limit of test/launch.  A test gets machines that are all on and joined; what it did to them is
undone behind it, and processes that it left on one are a failure.
"""
import importlib.util
import os
import sys
import tempfile

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
LAUNCH = os.path.join(ROOT, "test", "launch")
sys.path[:0] = [HERE, LAUNCH]
spec = importlib.util.spec_from_file_location("launch_conftest", os.path.join(LAUNCH, "conftest.py"))
launch = importlib.util.module_from_spec(spec)
spec.loader.exec_module(launch)
pytest_addoption, time_limit = launch.pytest_addoption, launch.time_limit

from ready import Machines  # noqa: E402  pylint: disable=wrong-import-position

N = 3


def pytest_configure(config):
    if config.option.results:
        config.pluginmanager.register(launch.Results(os.path.abspath(config.option.results), "machines"))


@pytest.fixture(scope="session")
def set_of_machines(request):
    one = Machines(f"test-{os.getpid()}", request.config.option.build)
    one.begin_set(N)
    yield one
    one.do("down")


@pytest.fixture
def machines(set_of_machines):
    set_of_machines.settle()  # nothing is to be done, unless that was not possible behind the test before
    yield set_of_machines
    assert not set_of_machines.settle()


@pytest.fixture
def mpiexec(machines):
    return f"{machines.build}/stage/bin/mpiexec"


@pytest.fixture
def folder(machines):
    """One that all machines have."""
    with tempfile.TemporaryDirectory(prefix="machines-", dir=machines.build) as path:
        yield path
