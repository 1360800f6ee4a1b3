# SPDX-License-Identifier: BSD-3-Clause
"""libraries.py – the three MPI libraries: how to compile and to start a program with each.

Each runs at its best setting on one machine, and `between_nodes()` with sockets, as on two:

    Mend      one core per rank if there are enough
    MPICH     the same; with more ranks than cores nothing helps it, it spins through its time slices
    Open MPI  it binds by itself with two ranks; with more ranks than cores it yields when idle
"""
import os
import shutil
import subprocess

from machine import cores

CFLAGS = ["-O2", "-std=gnu17", "-D_GNU_SOURCE", "-pthread", "-w"]
FT_ONLY = ("death", "replace", "revoke")


class Library:
    key, title = "", ""

    def __init__(self, build):
        self.folder = os.path.join(build, "bench", self.key)
        self.env = {k: v for k, v in os.environ.items()
                    if not k.startswith(("MEND_", "MPICH_", "MPIR_", "OMPI_", "HYDRA_"))}

    def compiler(self):
        raise NotImplementedError

    def launcher(self, ranks):
        raise NotImplementedError

    def there(self):
        return all(map(shutil.which, (self.compiler()[0], self.launcher(1)[0])))

    def compile(self, source):
        """Returns what went wrong, or None."""
        program = self.program(source)
        os.makedirs(self.folder, exist_ok=True)
        line = [*self.compiler(), *CFLAGS, "-o", program,
                os.path.join(os.path.dirname(__file__), source + ".c")]
        done = subprocess.run(line, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              check=False)
        return f"{' '.join(line)}\n{done.stdout}" if done.returncode else None

    def spawner(self, ranks=1):
        """The launcher of ranks that start others, or connect; None: the library cannot do this."""
        return self.launcher(ranks)

    def between_nodes(self, ranks):
        """The launcher of ranks on two nodes of this machine, which only sockets connect, and its environment."""
        raise NotImplementedError

    def program(self, source):
        return os.path.join(self.folder, source)


class Mend(Library):
    key, title = "mend", "Mend"

    def __init__(self, build):
        super().__init__(build)
        self.bin = os.path.join(build, "stage", "bin")

    def compiler(self):
        return [os.path.join(self.bin, "mpicc"), "-DBENCH_FT"]

    def launcher(self, ranks):
        # as the others bind, who do not ask which cores other jobs have
        bind = ["--bind-to", "core:overload-allowed"] if 1 < ranks <= cores() else []
        return [os.path.join(self.bin, "mpiexec"), "-q", *bind, "-n", str(ranks)]


    def between_nodes(self, ranks):
        return [*self.launcher(ranks), "--machines", "2"], self.env


class Mpich(Library):
    key, title = "mpich", "MPICH"

    def spawner(self, ranks=1):
        return None  # the distribution's MPICH uses UCX, with which it has no dynamic processes

    def compiler(self):
        return ["mpicc.mpich"]

    def launcher(self, ranks):
        bind = ["-bind-to", "core"] if ranks <= cores() else []
        return ["mpiexec.mpich", *bind, "-n", str(ranks)]

    def between_nodes(self, ranks):
        return self.launcher(ranks), {**self.env, "UCX_TLS": "tcp,self", "UCX_NET_DEVICES": "lo", "MPIR_CVAR_NOLOCAL": "1"}


class OpenMpi(Library):
    key, title = "openmpi", "Open MPI"

    def compiler(self):
        return ["mpicc.openmpi"]

    def launcher(self, ranks):
        line = ["mpirun.openmpi", "--mca", "btl", "vader,self", "--mca", "osc", "^rdma", "-n", str(ranks)]
        if os.geteuid() == 0:
            line.insert(1, "--allow-run-as-root")
        if ranks > cores():
            line[1:1] = ["--oversubscribe", "--mca", "mpi_yield_when_idle", "1"]
        return line

    def spawner(self, ranks=1):
        line = self.launcher(ranks)
        line[line.index("vader,self")] = "vader,self,tcp"  # between jobs it uses nothing else
        return [line[0], "--oversubscribe", *line[1:]]

    def between_nodes(self, ranks):
        line = self.launcher(ranks)
        line[line.index("vader,self")] = "tcp,self"
        return [line[0], "--mca", "pml", "ob1", *line[1:]], self.env


LIBRARIES = (Mend, Mpich, OpenMpi)


def version_of(library):
    """One line that names it."""
    question = {"mend": ["mend-info"], "mpich": ["mpiexec.mpich", "--version"],
                "openmpi": ["mpirun.openmpi", "--version"]}[library.key]
    if library.key == "mend":
        question[0] = os.path.join(library.bin, "mend-info")
    done = subprocess.run(question, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                          check=False)
    lines = [x.strip() for x in done.stdout.split("\n") if x.strip()]
    if library.key == "mpich":
        lines = [x.replace("Version:", "MPICH").split() for x in lines if x.startswith("Version:")]
        lines = [" ".join(x) for x in lines]
    return lines[0] if lines else "?"
