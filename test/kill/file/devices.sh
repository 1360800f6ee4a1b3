# SPDX-License-Identifier: BSD-3-Clause
# devices.sh – files on devices that are full, read-only, frozen, or lose what was written (devices.c).
#
# Each case has a file system of its own, in a file, mounted where no other process sees it.  It needs root, loop devices
# and ext4; elsewhere it says that this is not checked.
#
#   full       8 MiB
#   read-only  mounted so
#   losing     a device of 64 MiB of which 6 are there: writing succeeds, flushing cannot
#   ...-later  the kernel writes while the program goes on (FILE_ASYNC)
#   frozen     as a server that does not answer: a process that writes there cannot be interrupted, not even by SIGKILL
#
#   R27: a process that cannot die is declared dead after a second
#   R33: an error of writing is one class at all at sync, and stays until the file is closed
#   S0-51: the next sync reports the death
#
# RUN: full 3 ; expect "done"
# RUN: full 5 ; set NODES=2 ; expect "done"
# RUN: read-only 3 ; expect "done"
# RUN: losing 3 ; expect "done"
# RUN: frozen 2 ; expect "done"
# RUN: frozen 4 ; expect "done"
# RUN: frozen 4 ; set NODES=2 ; expect "done"
# RUN: full-later 3 ; set FILE_ASYNC=always ; expect "done"
# RUN: frozen-later 2 ; set FILE_ASYNC=always ; expect "done"
# RUN: frozen-later 4 ; set FILE_ASYNC=always ; expect "done"

case=$1 ranks=$2

if [ "$case" = frozen-later ] && ! mend-info | grep -A1 'by the kernel (io_uring)' | grep -q 'permitted here'; then
    echo "io_uring is not permitted here: not checked (done)"
    exit 0
fi

if [ "$3" != apart ]; then
    for tool in unshare losetup mkfs.ext4 mount; do
        PATH=$PATH:/usr/sbin:/sbin command -v $tool >/dev/null && continue
        echo "$tool is not here: not checked (done)"
        exit 0
    done
    if ! unshare -m true 2>/dev/null || ! losetup -f >/dev/null 2>&1; then
        echo "needs root and a loop device: not checked (done)"
        exit 0
    fi
    exec unshare -m sh "$0" "$case" "$ranks" apart
fi

PATH=$PATH:/usr/sbin:/sbin
bytes=8M
mkdir store device || exit 1
if [ "$case" = losing ]; then
    mount -t tmpfs -o size=6m tmpfs store || exit 1
    bytes=64M
fi
truncate -s $bytes store/image
mkfs.ext4 -q -O ^has_journal -E lazy_itable_init=1,nodiscard store/image || exit 1
if ! mount -o loop store/image device; then
    echo "ext4 cannot be mounted: not checked (done)"
    exit 0
fi
echo x >device/there
if [ "$case" = read-only ]; then
    mount -o remount,ro device || exit 1
fi

mpicc -D_GNU_SOURCE -I "$MEND_TEST_ROOT/test" "$MEND_TEST_ROOT/test/kill/file/devices.c" -o devices || exit 1
flags=
guard=
if [ "${case%-later}" = frozen ]; then
    flags=--lenient-exit
    # what is in there when the program fails could not even be killed
    sh -c 'trap "kill \$!; exit" TERM; sleep 15 & wait; fsfreeze -u device' 2>/dev/null &
    guard=$!
fi
mpiexec --timeout 12 $flags -n "$ranks" ./devices "$case" "$PWD/device/there" "$PWD/device"
status=$?
[ "$guard" ] && kill "$guard" && wait "$guard"
fsfreeze -u device 2>/dev/null # if it failed in between
umount -l device # a process that could not die may not have ended yet
[ "$case" = losing ] && umount -l store
rm -rf store device devices
[ $status = 0 ] && echo done
exit $status
