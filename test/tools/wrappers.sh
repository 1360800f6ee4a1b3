# SPDX-License-Identifier: BSD-3-Clause
# wrappers.sh – mpicc and mpicxx show, compile and link what they should, from wherever they stand.
#
# RUN: ; expect "all wrapper checks passed" ; time 60

fail()
{
    echo "wrong: $*"
    exit 1
}

# is WHAT EXPECTED COMMAND...: the command prints exactly this
is()
{
    expected=$1
    shift
    got=$("$@" 2>&1) || fail "$* ended with $?: $got"
    [ "$got" = "$expected" ] || fail "$* printed
$got
instead of
$expected"
}

inc=-I$MEND_TEST_STAGE/include
lib="-L$MEND_TEST_STAGE/lib -Wl,-rpath,$MEND_TEST_STAGE/lib -Wl,--enable-new-dtags -lmpi_abi"
case $(mpicc -showme:compile) in
*-fsanitize=*) # a sanitizer's build adds its flag everywhere
    inc=$(mpicc -showme:compile)
    lib=$(mpicc -showme:link)
    ;;
esac
cc=$(mpicc -showme:command)
cxx=$(mpicxx -showme:command)

is "$inc" mpicc -showme:compile
is "$lib" mpicc -showme:link
is "$MEND_TEST_STAGE/include" mpicc -showme:incdirs
is "$MEND_TEST_STAGE/lib" mpicc -showme:libdirs
is mpi_abi mpicc -showme:libs
is "$inc" mpicxx -showme:compile
is "clang" mpicc -cc=clang -showme:command
is "clang++" mpicxx -cxx=clang++ -showme:command
is "ccache gcc" env MEND_CC="ccache gcc" mpicc -showme:command
is "other" env MPICC_CC=other mpicc -showme:command
is "other" env MPICXX_CXX=other mpicxx -showme:command
for peer in MPICH OMPI; do
    is "other" env ${peer}_CC=other mpicc -showme:command
    is "other" env ${peer}_CXX=other mpicxx -showme:command
    is "ours" env ${peer}_CC=other MEND_CC=ours mpicc -showme:command
done
is "clang" env MPICH_CC=other mpicc -config=clang -showme:command
is "clang++" mpicxx -config=clang++ -showme:command
said=$(mpicc -config= -c x.c 2>&1)
[ $? = 2 ] || fail "an empty name of a compiler is not refused: $said"
echo "$said" | grep -q "name of the compiler is empty" || fail "-config=: $said"
said=$(MPICH_CC=mpicc timeout 10 mpicc -c x.c 2>&1)
[ $? = 2 ] || fail "MPICH_CC=mpicc is not refused: $said"
echo "$said" | grep -q "mpicc itself" || fail "MPICH_CC=mpicc: $said"
case $inc in
*-fsanitize=*) ;;
*)
    is "$cc $inc $lib" mpicc -show
    is "$cc $inc x.c -o x $lib" mpicc -showme x.c -o x
    is "$cc $inc -c x.c" mpicc -show -c x.c
    is "$cc $inc -c x.c '-DA=\"b c\"'" mpicc -show -c x.c '-DA="b c"'
    is "$cc $inc -c" mpicc -compile-info
    is "$cc $inc -c" mpicc -compile_info
    is "$cc $inc $lib" mpicc -link-info
    is "$cxx $inc x.cc $lib" mpicxx -show x.cc
    ;;
esac
mpicc -v 2>&1 | grep -q "mpicc for Mend" || fail "mpicc -v does not name Mend"
mpicc --help | grep -q showme:compile || fail "mpicc --help"
mpicc -showme:nothing >/dev/null 2>&1
[ $? = 2 ] || fail "an unknown -showme: is not refused with status 2"
mpicc --version | grep -qi mend && fail "mpicc --version must be the compiler's"

# Arguments with spaces, only compiling, the status of the compiler, C++.
cat >'a program.c' <<'TEXT'
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    puts(WORDS);
    return MPI_Finalize();
}
TEXT
mpicc -DWORDS='"two words"' -c 'a program.c' -o 'an object.o' || fail "compiling"
mpicc 'an object.o' -o 'a program' || fail "linking"
is "two words" "./a program"
cp 'a program.c' b.cc
mpic++ -DWORDS='"in C++"' b.cc -o b || fail "C++"
is "in C++" ./b
echo 'this is not C' >bad.c
mpicc -c bad.c 2>/dev/null && fail "the compiler's status is lost"

# A profiling library comes before MPI's.
cat >profile.c <<'TEXT'
#include <mpi.h>
#include <stdio.h>
int MPI_Init(int *argc, char ***argv)
{
    puts("profiled");
    return PMPI_Init(argc, argv);
}
TEXT
mpicc -c profile.c && ar rc libprofile.a profile.o || fail "a library"
mpicc -profile=profile -L. 'an object.o' -o profiled || fail "-profile="
is "profiled
two words" ./profiled

# A moved installation, in a folder with a space in its name.
mkdir 'moved here'
cp -a "$MEND_TEST_STAGE/." 'moved here'
"moved here/bin/mpicc" -DWORDS='"moved"' 'a program.c' -o moved || fail "moved: compiling"
is "$PWD/moved here/lib" sh -c '"moved here/bin/mpicc" -showme:libdirs'
is moved ./moved
readelf -d moved | grep -qF "[$PWD/moved here/lib]" || fail "moved: run path"
ln -s "$MEND_TEST_STAGE/bin/mpicc" linked-mpicc
is "$MEND_TEST_STAGE/include" ./linked-mpicc -showme:incdirs

# pkg-config
PKG_CONFIG_PATH=$MEND_TEST_STAGE/lib/pkgconfig
export PKG_CONFIG_PATH
for name in mend mpi mpi-c mpi-cxx; do
    compiler=gcc
    [ $name = mpi-cxx ] && compiler='g++ -xc++'
    # flags are words on purpose
    $compiler -DWORDS='"pkg-config"' 'a program.c' -o p $(pkg-config --cflags --libs $name) \
        $(mpicc -showme:compile | grep -o -- '-fsanitize=.*') || fail "pkg-config $name"
    is "pkg-config" ./p
done
echo "all wrapper checks passed"
