# SPDX-License-Identifier: BSD-3-Clause
# install.sh – make install builds what it installs and no more, gives exactly what README.md promises, and it works from there.
#
# RUN: ; plain ; expect "all install checks passed" ; time 120

fail()
{
    echo "wrong: $*"
    exit 1
}

make -s -C "$MEND_TEST_ROOT" install BUILD="$(readlink -f "$MEND_TEST_STAGE/..")" PREFIX=/opt/mend \
    DESTDIR="$PWD/root" >install.log 2>&1 || {
    cat install.log
    exit 1
}

# It builds what is installed, and nothing of the tests or the simulator.
build=$(readlink -f "$MEND_TEST_STAGE/..")
make -n -C "$MEND_TEST_ROOT" install BUILD="$build" | grep -qx "ninja -C $build installed" || fail "it builds another target"
ninja -C "$build" -t commands installed >commands || fail "ninja"
grep -q ' -o launch/mpiexec ' commands || fail "mpiexec is not built: $(cat commands)"
! grep -E ' -o ("?)(test|sim|example)/| -o \S*_test' commands || fail "it builds more than it installs"
cat >expected <<'TEXT'
bin/mend-info
bin/mend-timeline
bin/mpic++ -> mpicxx
bin/mpicc
bin/mpicxx
bin/mpiexec
bin/mpirun -> mpiexec
include/mend.h
include/mend_rollback.h
include/mpi-ext.h
include/mpi.h
include/mpi_buffers.h
include/mpi_ft.h
include/mpi_old.h
include/mpi_profile.h
include/mpix.h
lib/libmpi.so -> libmpi_abi.so.1
lib/libmpi_abi.so -> libmpi_abi.so.1
lib/libmpi_abi.so.1
lib/librollback.so
lib/pkgconfig/mend.pc
lib/pkgconfig/mpi-c.pc
lib/pkgconfig/mpi-cxx.pc
lib/pkgconfig/mpi.pc
share/man/man1/mend-info.1
share/man/man1/mend-timeline.1
share/man/man1/mpicc.1
share/man/man1/mpic++.1 -> mpicc.1
share/man/man1/mpicxx.1 -> mpicc.1
share/man/man1/mpiexec.1
share/man/man1/mpirun.1 -> mpiexec.1
share/man/man3/MPIX_Comm_ack_failed.3
share/man/man3/MPIX_Comm_agree.3
share/man/man3/MPIX_Comm_agree_failed.3
share/man/man3/MPIX_Comm_failure_ack.3
share/man/man3/MPIX_Comm_failure_get_acked.3
share/man/man3/MPIX_Comm_get_failed.3
share/man/man3/MPIX_Comm_iagree.3
share/man/man3/MPIX_Comm_iagree_failed.3 -> MPIX_Comm_agree_failed.3
share/man/man3/MPIX_Comm_is_revoked.3
share/man/man3/MPIX_Comm_ishrink.3
share/man/man3/MPIX_Comm_refill.3
share/man/man3/MPIX_Comm_refilled.3 -> MPIX_Comm_refill.3
share/man/man3/MPIX_Comm_revoke.3
share/man/man3/MPIX_Comm_shrink.3
share/man/man3/MPIX_File_revoke.3
share/man/man3/MPIX_Module_create.3
share/man/man3/MPIX_Module_enter.3 -> MPIX_Module_create.3
share/man/man3/MPIX_Module_free.3 -> MPIX_Module_create.3
share/man/man3/MPIX_Module_leave.3 -> MPIX_Module_create.3
share/man/man3/MPIX_Module_recover.3 -> MPIX_Module_create.3
share/man/man3/MPIX_Notify.3
share/man/man3/MPIX_Notify_hold.3 -> MPIX_Notify.3
share/man/man3/MPIX_Notify_register.3 -> MPIX_Notify.3
share/man/man3/MPIX_Notify_release.3 -> MPIX_Notify.3
share/man/man3/MPIX_Notify_unregister.3 -> MPIX_Notify.3
share/man/man3/MPIX_Safe_point_commit.3 -> MPIX_Safe_point_enter.3
share/man/man3/MPIX_Safe_point_depth.3 -> MPIX_Safe_point_enter.3
share/man/man3/MPIX_Safe_point_differences.3 -> MPIX_Safe_point_enter.3
share/man/man3/MPIX_Safe_point_enter.3
share/man/man3/MPIX_Safe_point_roll_back.3 -> MPIX_Safe_point_enter.3
share/man/man3/MPIX_Win_get_failed.3
share/man/man3/MPIX_Win_revoke.3
share/man/man3/MPI_Comm_ack_failed.3 -> MPIX_Comm_ack_failed.3
share/man/man3/MPI_Comm_agree.3 -> MPIX_Comm_agree.3
share/man/man3/MPI_Comm_agreement.3
share/man/man3/MPI_Comm_failure_ack.3 -> MPIX_Comm_failure_ack.3
share/man/man3/MPI_Comm_failure_get_acked.3 -> MPIX_Comm_failure_get_acked.3
share/man/man3/MPI_Comm_get_failed.3 -> MPIX_Comm_get_failed.3
share/man/man3/MPI_Comm_iagree.3 -> MPIX_Comm_iagree.3
share/man/man3/MPI_Comm_invalidate.3 -> MPIX_Comm_revoke.3
share/man/man3/MPI_Comm_is_revoked.3 -> MPIX_Comm_is_revoked.3
share/man/man3/MPI_Comm_ishrink.3 -> MPIX_Comm_ishrink.3
share/man/man3/MPI_Comm_revoke.3 -> MPIX_Comm_revoke.3
share/man/man3/MPI_Comm_shrink.3 -> MPIX_Comm_shrink.3
share/man/man3/MPI_Comm_validate.3
share/man/man3/MPI_File_invalidate.3 -> MPIX_File_revoke.3
share/man/man3/MPI_Icomm_agreement.3
share/man/man3/MPI_Win_get_failed.3 -> MPIX_Win_get_failed.3
share/man/man3/MPI_Win_invalidate.3 -> MPIX_Win_revoke.3
share/man/man7/MPIX_ERR_PROC_FAILED.7 -> MPI_ERR_PROC_FAILED.7
share/man/man7/MPIX_ERR_PROC_FAILED_PENDING.7 -> MPI_ERR_PROC_FAILED.7
share/man/man7/MPIX_ERR_REVOKED.7 -> MPI_ERR_PROC_FAILED.7
share/man/man7/MPIX_FT.7
share/man/man7/MPI_ERR_INVALIDATED.7 -> MPI_ERR_PROC_FAILED.7
share/man/man7/MPI_ERR_PROC_FAILED.7
share/man/man7/MPI_ERR_PROC_FAILED_PENDING.7 -> MPI_ERR_PROC_FAILED.7
share/man/man7/MPI_ERR_PROC_FAIL_STOP.7 -> MPI_ERR_PROC_FAILED.7
share/man/man7/MPI_ERR_REVOKED.7 -> MPI_ERR_PROC_FAILED.7
share/man/man7/MPI_FT.7 -> MPIX_FT.7
share/man/man7/mend-ft.7
TEXT
(cd "$MEND_TEST_ROOT" && {
    ls README.md LICENSE HACKING.md CHANGELOG.md doc/*.md doc/*.svg
    find doc/lab doc/pictures doc/stories example -type f ! -name meson.build ! -name demo ! -name demo-machines
}) | sed 's|^|share/doc/mend/|' >>expected
LC_ALL=C sort -o expected expected
(cd root/opt/mend && find . -type f -printf '%P\n' -o -type l -printf '%P -> %l\n') | LC_ALL=C sort >found
diff expected found || fail "the list of files"
readelf -d root/opt/mend/lib/libmpi_abi.so.1 | grep -q 'SONAME.*\[libmpi_abi.so.1\]' || fail "soname"
readelf -d root/opt/mend/lib/libmpi_abi.so.1 | grep -q 'RPATH\|RUNPATH' && fail "the library has a run path"

for program in root/opt/mend/bin/*; do
    [ -e "root/opt/mend/share/man/man1/${program##*/}.1" ] || fail "no manual page of ${program##*/}"
done

# The variables that README.md sets.
HOME=$PWD/root/opt
unset PKG_CONFIG_PATH
sed -n '/^## Install it/,/^## /s/^export [^#]*/&/p' "$MEND_TEST_ROOT/README.md" >variables
. ./variables
[ "$(command -v mpicc)" = "$HOME/mend/bin/mpicc" ] || fail "README.md: PATH"
! command -v pkg-config >/dev/null || pkg-config --cflags mend >/dev/null || fail "README.md: PKG_CONFIG_PATH"
mpicc "$MEND_TEST_ROOT/example/hello/hello.c" -o hello || fail "mpicc"
[ "$(mpirun -n 2 ./hello | wc -l)" = 2 ] || fail "mpirun"
ldd hello | grep -qF "$PWD/root/opt/mend/lib/libmpi_abi.so.1" || fail "another library is used"
gcc "$MEND_TEST_ROOT/example/hello/hello.c" -o hello2 -Iroot/opt/mend/include -Lroot/opt/mend/lib -lmpi ||
    fail "the link name libmpi.so"
[ "$(LD_LIBRARY_PATH=root/opt/mend/lib ./hello2 | wc -l)" = 1 ] || fail "linked with -lmpi"

# The documents: no link leads out of what is installed, and the examples can be built.
doc=$PWD/root/opt/mend/share/doc/mend
"$MEND_TEST_ROOT/tools/check-links" root/opt/mend || fail "links of installed documents"
mkdir out
make -s -C "$doc/example" OUT="$PWD/out" || fail "the installed examples do not build"
for name in hello survive waitall ignore shrink validate halo bag host; do
    [ -x "out/$name" ] || fail "no example $name"
done
[ "$(mpiexec -n 2 out/hello | wc -l)" = 2 ] || fail "an installed example"
grep -q "share/doc/mend" root/opt/mend/share/man/man7/mend-ft.7 || fail "mend-ft(7) does not lead to the documents"
echo "all install checks passed"
