# SPDX-License-Identifier: BSD-3-Clause
# small_shm.sh – windows of 32 MiB in sum where /dev/shm has 64 KiB, in a mount namespace: no_memory.c ends as elsewhere, because
# windows lie in the job's nameless file, and each byte of them can be used.
#
# RUN: ; expect "windows without /dev/shm"

shown="windows without /dev/shm"
. "$MEND_TEST_ROOT/test/mpi/rma/namespace.sh"
mpicc -std=gnu17 -D_GNU_SOURCE -O1 -Wall -Wextra -I"$MEND_TEST_ROOT/test" -o no_memory \
    "$MEND_TEST_ROOT/test/mpi/rma/no_memory.c" || exit 1
# shellcheck disable=SC2016  # the inner shell expands it
unshare $flags sh -c 'mount -t tmpfs -o size=64k tmpfs /dev/shm && exec "$@"' - mpiexec -n 4 ./no_memory || exit 1
echo "$shown"
