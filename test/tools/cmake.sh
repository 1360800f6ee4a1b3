# SPDX-License-Identifier: BSD-3-Clause
# cmake.sh – CMake's FindMPI finds Mend with nothing but PATH set, for C and for C++, and what it
# builds runs.
#
# RUN: ; plain ; expect "C rank 1 of 2" ; expect "C++ rank 1 of 2" ; time 120
set -e
cat >CMakeLists.txt <<'TEXT'
cmake_minimum_required(VERSION 3.18)
project(finds_mend C CXX)
find_package(MPI REQUIRED COMPONENTS C CXX)
message(STATUS "launcher ${MPIEXEC_EXECUTABLE}, header ${MPI_C_HEADER_DIR}, version ${MPI_C_VERSION}")
add_executable(c_program program.c)
target_link_libraries(c_program MPI::MPI_C)
add_executable(cxx_program program.cc)
target_link_libraries(cxx_program MPI::MPI_CXX)
TEXT
cat >program.c <<'TEXT'
#include <mpi.h>
#include <stdio.h>
#ifdef __cplusplus
#define LANGUAGE "C++"
#else
#define LANGUAGE "C"
#endif
int main(int argc, char **argv)
{
    int rank, size;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    printf("%s rank %d of %d\n", LANGUAGE, rank, size);
    return MPI_Finalize();
}
TEXT
cp program.c program.cc
cmake -S . -B build >cmake.log 2>&1 || { cat cmake.log; exit 1; }
grep -F "launcher $MEND_TEST_STAGE/bin/mpiexec" cmake.log || { cat cmake.log; exit 1; }
grep -F "header $MEND_TEST_STAGE/include" cmake.log || { cat cmake.log; exit 1; }
grep -F "version 5.0" cmake.log || { cat cmake.log; exit 1; }
cmake --build build >build.log 2>&1 || { cat build.log; exit 1; }
mpiexec -n 2 build/c_program
mpiexec -n 2 build/cxx_program
