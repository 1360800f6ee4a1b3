# SPDX-License-Identifier: BSD-3-Clause
# container.sh – as in a container: 64 MiB in /dev/shm, and a control group of 400 MiB.  Windows of 128 MiB in sum exist, more than
# /dev/shm has, for they do not lie there; windows of 800 MiB in sum, each part of which alone would fit, are
# refused at all members, and the kernel kills nobody.
#
# RUN: ; expect "windows in a small /dev/shm"

limit_mib=400

# A group below that of this shell; fails where none is permitted.
make_group()
{
    v1=$(sed -n 's/^[0-9]*:memory://p' /proc/self/cgroup)
    if [ -n "$v1" ]; then
        group=/sys/fs/cgroup/memory$v1/mend-container.$$
        limit=memory.limit_in_bytes
    else
        group=/sys/fs/cgroup$(sed -n 's/^0:://p' /proc/self/cgroup)/mend-container.$$
        limit=memory.max
    fi
    mkdir "$group" 2>/dev/null || return 1
    trap 'rmdir "$group"' EXIT
    [ -w "$group/$limit" ] && echo $((limit_mib << 20)) 2>/dev/null >"$group/$limit"
}

shown="windows in a small /dev/shm"
. "$MEND_TEST_ROOT/test/mpi/rma/namespace.sh"
mpicc -std=gnu17 -D_GNU_SOURCE -O1 -Wall -Wextra -I"$MEND_TEST_ROOT/test" -o container \
    "$MEND_TEST_ROOT/test/mpi/rma/container.c" || exit 1

# shellcheck disable=SC2016  # the inner shell expands it
inside='mount -t tmpfs -o size=64m tmpfs /dev/shm && exec "$@"'
unshare $flags sh -c "$inside" - mpiexec -n 4 ./container given 32 || exit 1
echo "$shown"
if make_group; then
    # shellcheck disable=SC2016
    in_group='echo $$ >"$GROUP/cgroup.procs" && '$inside
    GROUP=$group unshare $flags sh -c "$in_group" - mpiexec -n 4 ./container refused 200 || exit 1
    GROUP=$group unshare $flags sh -c "$in_group" - mpiexec -n 4 ./container given 32 || exit 1
    echo "windows in a small control group"
else
    echo "no control group for memory is permitted here: nothing shown of one that is full"
fi
