# SPDX-License-Identifier: BSD-3-Clause
# devices.sh – files on devices that are full, read-only, frozen, return errors, or lose what was written (devices.c).
#
# Each case has a file system of its own, in a file, mounted where no other process sees it.  It needs root, loop devices
# and ext4, quota needs btrfs; elsewhere it says that this is not checked.
#
#   full       8 MiB
#   quota      on which a quota is exhausted
#   read-only  mounted so
#   broken     a device whose end cannot be read any more
#   losing     a device of 64 MiB of which 6 are there: writing succeeds, flushing cannot
#   ...-mapped records are copied into a mapping of the file (hint mend_append_mapped)
#   ...-later  the kernel writes while the program goes on (FILE_ASYNC)
#   frozen     as a server that does not answer: a process that writes there cannot be interrupted, not even by SIGKILL
#
#   R27: a process that cannot die is declared dead after a second
#   R33: an error of writing is one class at all at sync, and stays until the file is closed
#   S0-51: the next sync reports the death
#
# RUN: full 3 ; expect "done"
# RUN: full 5 ; set MACHINES=2 ; expect "done"
# RUN: quota 3 ; expect "done"
# RUN: read-only 3 ; expect "done"
# RUN: broken 3 ; expect "done"
# RUN: broken 4 ; set MACHINES=2 ; expect "done"
# RUN: losing 3 ; expect "done"
# RUN: frozen 2 ; expect "done"
# RUN: frozen 4 ; expect "done"
# RUN: frozen 4 ; set MACHINES=2 ; expect "done"
# RUN: full-mapped 2 ; expect "done"
# RUN: full-mapped 5 ; expect "done"
# RUN: quota-mapped 3 ; expect "done"
# RUN: losing-mapped 3 ; expect "done"
# RUN: full-later 3 ; set FILE_ASYNC=always ; expect "done"
# RUN: frozen-later 2 ; set FILE_ASYNC=always ; expect "done"
# RUN: frozen-later 4 ; set FILE_ASYNC=always ; expect "done"

case=$1 ranks=$2

if [ "$case" = frozen-later ] && ! mend-info | grep -A1 'by the kernel (io_uring)' | grep -q 'permitted here'; then
    echo "io_uring is not permitted here: not checked (done)"
    exit 0
fi

system=ext4
[ "${case%-mapped}" = quota ] && system=btrfs
if [ "$3" != apart ]; then
    for tool in unshare losetup mkfs.$system mount debugfs; do
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
options=
mkdir store device || exit 1
case $case in
losing*)
    mount -t tmpfs -o size=6m tmpfs store || exit 1
    bytes=64M
    ;;
quota*) bytes=128M ;;
broken) bytes=32M ;;
esac
truncate -s $bytes store/image
[ $system = btrfs ] || options='-b 4096 -O ^has_journal -E lazy_itable_init=1,nodiscard'
mkfs.$system -q $options store/image 2>/dev/null || exit 1
if ! mount -o loop store/image device; then
    echo "$system cannot be mounted: not checked (done)"
    exit 0
fi
echo x >device/there
case $case in
read-only) mount -o remount,ro device || exit 1 ;;
quota*) btrfs quota enable device && btrfs qgroup limit 8M device || exit 1 ;;
broken) # unmounted in between, so that no page of it is in memory; cut off behind its first 4 MiB
    dd if=/dev/zero of=device/there bs=1M count=6 status=none && umount device || exit 1
    block=$(debugfs -R 'bmap there 1024' store/image 2>/dev/null)
    mount -o loop store/image device && truncate -s $((block * 4096)) store/image || exit 1
    ;;
esac

. "$MEND_TEST_ROOT/test/build.sh"
build devices "$MEND_TEST_ROOT/test/kill/file/devices.c" -D_GNU_SOURCE -I "$MEND_TEST_ROOT/test"
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
[ "${case%-mapped}" = losing ] && umount -l store
rm -rf store device devices
[ $status = 0 ] && echo done
exit $status
