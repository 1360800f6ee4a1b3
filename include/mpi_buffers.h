/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi_buffers.h – tells which argument is a buffer and which one its datatype: clang warns (-Wtype-safety) of
 *
 *   double x[3];
 *   MPI_Recv(x, 3, MPI_INT, ...);      argument type 'double *' doesn't match specified 'mpi' type tag
 *
 * 1. The end of mpi.h includes this file where the compiler can use it; it declares nothing new and
 *    changes no type.
 * 2. The number in a tag is the value of the handle in mpi.h (test/abi/run compares them).
 * 3. Not checked: buffers that are void * (MPI_IN_PLACE, too), MPI_CHAR (programs send all sorts of bytes
 *    as that), MPI_BYTE, MPI_PACKED, Fortran's types, derived types, and datatypes in variables.
 * 4. Before clang 19 a buffer that is only read is not checked: clang then takes const int and int for
 *    different types.
 * 5. To clang a row of a matrix has another type than its elements: write &row[0][0].
 *
 * -DMEND_NO_TYPE_TAGS leaves it out, for programs that send what is declared as something else on
 * purpose; -Wno-type-safety keeps the compiler silent. */
#ifndef MEND_MPI_BUFFERS_H
#define MEND_MPI_BUFFERS_H

/* Types with the same members as the named one are accepted: const int, or a struct of the program's
 * for a pair. */
#define MEND_TAG(name, type, handle)                                                               \
    static const int mend_tag_##name                                                               \
        __attribute__((type_tag_for_datatype(mpi, type, layout_compatible), unused)) = handle;

/* The function's argument `buffer` holds what its argument `datatype` says. */
#define MEND_RECEIVED(buffer, datatype)                                                            \
    __attribute__((pointer_with_type_tag(mpi, buffer, datatype)))
#if __clang_major__ >= 19
#define MEND_SENT(buffer, datatype) MEND_RECEIVED(buffer, datatype)
#else
#define MEND_SENT(buffer, datatype)
#endif

/* Once more what mpi.h has declared, with its buffers: the function and its _c form. */
#define MEND_BUFFERS_ONCE(function, buffers) extern __typeof__(function) function buffers;
#define MEND_BUFFERS(function, buffers)                                                            \
    MEND_BUFFERS_ONCE(function, buffers)                                                           \
    MEND_BUFFERS_ONCE(function##_c, buffers)

/* clang-format off */
MEND_TAG(short, short, 0x208)
MEND_TAG(int, int, 0x209)
MEND_TAG(long, long, 0x20a)
MEND_TAG(long_long, long long, 0x20b)
MEND_TAG(unsigned_short, unsigned short, 0x20c)
MEND_TAG(unsigned, unsigned, 0x20d)
MEND_TAG(unsigned_long, unsigned long, 0x20e)
MEND_TAG(unsigned_long_long, unsigned long long, 0x20f)
MEND_TAG(float, float, 0x210)
MEND_TAG(double, double, 0x214)
MEND_TAG(long_double, long double, 0x220)
MEND_TAG(signed_char, signed char, 0x244)
MEND_TAG(unsigned_char, unsigned char, 0x245)
MEND_TAG(int8_t, int8_t, 0x240)
MEND_TAG(uint8_t, uint8_t, 0x241)
MEND_TAG(int16_t, int16_t, 0x248)
MEND_TAG(uint16_t, uint16_t, 0x249)
MEND_TAG(int32_t, int32_t, 0x250)
MEND_TAG(uint32_t, uint32_t, 0x251)
MEND_TAG(int64_t, int64_t, 0x258)
MEND_TAG(uint64_t, uint64_t, 0x259)
MEND_TAG(aint, MPI_Aint, 0x201)
MEND_TAG(count, MPI_Count, 0x202)
MEND_TAG(offset, MPI_Offset, 0x203)

/* Pairs for MPI_MINLOC and MPI_MAXLOC */
#define MEND_PAIR(name, type, handle)                                                              \
    struct mend_pair_##name {                                                                      \
        type value;                                                                                \
        int index;                                                                                 \
    };                                                                                             \
    MEND_TAG(name, struct mend_pair_##name, handle)
MEND_PAIR(float_int, float, 0x228)
MEND_PAIR(double_int, double, 0x229)
MEND_PAIR(long_int, long, 0x22a)
MEND_PAIR(2int, int, 0x22b)
MEND_PAIR(short_int, short, 0x22c)
MEND_PAIR(long_double_int, long double, 0x22d)

#ifdef __cplusplus
MEND_TAG(wchar, wchar_t, 0x23c)
MEND_TAG(c_bool, bool, 0x238)
MEND_TAG(cxx_bool, bool, 0x239)
#else
MEND_TAG(wchar, __WCHAR_TYPE__, 0x23c)
MEND_TAG(c_bool, _Bool, 0x238)
MEND_TAG(c_float_complex, float _Complex, 0x212)
MEND_TAG(c_double_complex, double _Complex, 0x216)
MEND_TAG(c_long_double_complex, long double _Complex, 0x224)
#endif

MEND_BUFFERS(MPI_Send, MEND_SENT(1, 3))
MEND_BUFFERS(MPI_Recv, MEND_RECEIVED(1, 3))
MEND_BUFFERS(MPI_Bsend, MEND_SENT(1, 3))
MEND_BUFFERS(MPI_Ssend, MEND_SENT(1, 3))
MEND_BUFFERS(MPI_Rsend, MEND_SENT(1, 3))
MEND_BUFFERS(MPI_Sendrecv, MEND_SENT(1, 3) MEND_RECEIVED(6, 8))
MEND_BUFFERS(MPI_Sendrecv_replace, MEND_RECEIVED(1, 3))
MEND_BUFFERS(MPI_Isend, MEND_SENT(1, 3))
MEND_BUFFERS(MPI_Irecv, MEND_RECEIVED(1, 3))
MEND_BUFFERS(MPI_Ibsend, MEND_SENT(1, 3))
MEND_BUFFERS(MPI_Issend, MEND_SENT(1, 3))
MEND_BUFFERS(MPI_Irsend, MEND_SENT(1, 3))
MEND_BUFFERS(MPI_Isendrecv, MEND_SENT(1, 3) MEND_RECEIVED(6, 8))
MEND_BUFFERS(MPI_Isendrecv_replace, MEND_RECEIVED(1, 3))
MEND_BUFFERS(MPI_Mrecv, MEND_RECEIVED(1, 3))
MEND_BUFFERS(MPI_Imrecv, MEND_RECEIVED(1, 3))
MEND_BUFFERS(MPI_Send_init, MEND_SENT(1, 3))
MEND_BUFFERS(MPI_Recv_init, MEND_RECEIVED(1, 3))
MEND_BUFFERS(MPI_Bsend_init, MEND_SENT(1, 3))
MEND_BUFFERS(MPI_Ssend_init, MEND_SENT(1, 3))
MEND_BUFFERS(MPI_Rsend_init, MEND_SENT(1, 3))
MEND_BUFFERS(MPI_Psend_init, MEND_SENT(1, 4))
MEND_BUFFERS(MPI_Precv_init, MEND_RECEIVED(1, 4))
MEND_BUFFERS(MPI_Pack, MEND_SENT(1, 3))
MEND_BUFFERS(MPI_Unpack, MEND_RECEIVED(4, 6))
MEND_BUFFERS(MPI_Pack_external, MEND_SENT(2, 4))
MEND_BUFFERS(MPI_Unpack_external, MEND_RECEIVED(5, 7))
MEND_BUFFERS(MPI_Bcast, MEND_RECEIVED(1, 3))
MEND_BUFFERS(MPI_Gather, MEND_SENT(1, 3) MEND_RECEIVED(4, 6))
MEND_BUFFERS(MPI_Gatherv, MEND_SENT(1, 3) MEND_RECEIVED(4, 7))
MEND_BUFFERS(MPI_Scatter, MEND_SENT(1, 3) MEND_RECEIVED(4, 6))
MEND_BUFFERS(MPI_Scatterv, MEND_SENT(1, 4) MEND_RECEIVED(5, 7))
MEND_BUFFERS(MPI_Allgather, MEND_SENT(1, 3) MEND_RECEIVED(4, 6))
MEND_BUFFERS(MPI_Allgatherv, MEND_SENT(1, 3) MEND_RECEIVED(4, 7))
MEND_BUFFERS(MPI_Alltoall, MEND_SENT(1, 3) MEND_RECEIVED(4, 6))
MEND_BUFFERS(MPI_Alltoallv, MEND_SENT(1, 4) MEND_RECEIVED(5, 8))
MEND_BUFFERS(MPI_Reduce, MEND_SENT(1, 4) MEND_RECEIVED(2, 4))
MEND_BUFFERS(MPI_Allreduce, MEND_SENT(1, 4) MEND_RECEIVED(2, 4))
MEND_BUFFERS(MPI_Reduce_scatter_block, MEND_SENT(1, 4) MEND_RECEIVED(2, 4))
MEND_BUFFERS(MPI_Reduce_scatter, MEND_SENT(1, 4) MEND_RECEIVED(2, 4))
MEND_BUFFERS(MPI_Scan, MEND_SENT(1, 4) MEND_RECEIVED(2, 4))
MEND_BUFFERS(MPI_Exscan, MEND_SENT(1, 4) MEND_RECEIVED(2, 4))
MEND_BUFFERS(MPI_Reduce_local, MEND_SENT(1, 4) MEND_RECEIVED(2, 4))
MEND_BUFFERS(MPI_Ibcast, MEND_RECEIVED(1, 3))
MEND_BUFFERS(MPI_Igather, MEND_SENT(1, 3) MEND_RECEIVED(4, 6))
MEND_BUFFERS(MPI_Igatherv, MEND_SENT(1, 3) MEND_RECEIVED(4, 7))
MEND_BUFFERS(MPI_Iscatter, MEND_SENT(1, 3) MEND_RECEIVED(4, 6))
MEND_BUFFERS(MPI_Iscatterv, MEND_SENT(1, 4) MEND_RECEIVED(5, 7))
MEND_BUFFERS(MPI_Iallgather, MEND_SENT(1, 3) MEND_RECEIVED(4, 6))
MEND_BUFFERS(MPI_Iallgatherv, MEND_SENT(1, 3) MEND_RECEIVED(4, 7))
MEND_BUFFERS(MPI_Ialltoall, MEND_SENT(1, 3) MEND_RECEIVED(4, 6))
MEND_BUFFERS(MPI_Ialltoallv, MEND_SENT(1, 4) MEND_RECEIVED(5, 8))
MEND_BUFFERS(MPI_Ireduce, MEND_SENT(1, 4) MEND_RECEIVED(2, 4))
MEND_BUFFERS(MPI_Iallreduce, MEND_SENT(1, 4) MEND_RECEIVED(2, 4))
MEND_BUFFERS(MPI_Ireduce_scatter_block, MEND_SENT(1, 4) MEND_RECEIVED(2, 4))
MEND_BUFFERS(MPI_Ireduce_scatter, MEND_SENT(1, 4) MEND_RECEIVED(2, 4))
MEND_BUFFERS(MPI_Iscan, MEND_SENT(1, 4) MEND_RECEIVED(2, 4))
MEND_BUFFERS(MPI_Iexscan, MEND_SENT(1, 4) MEND_RECEIVED(2, 4))
MEND_BUFFERS(MPI_Bcast_init, MEND_RECEIVED(1, 3))
MEND_BUFFERS(MPI_Gather_init, MEND_SENT(1, 3) MEND_RECEIVED(4, 6))
MEND_BUFFERS(MPI_Gatherv_init, MEND_SENT(1, 3) MEND_RECEIVED(4, 7))
MEND_BUFFERS(MPI_Scatter_init, MEND_SENT(1, 3) MEND_RECEIVED(4, 6))
MEND_BUFFERS(MPI_Scatterv_init, MEND_SENT(1, 4) MEND_RECEIVED(5, 7))
MEND_BUFFERS(MPI_Allgather_init, MEND_SENT(1, 3) MEND_RECEIVED(4, 6))
MEND_BUFFERS(MPI_Allgatherv_init, MEND_SENT(1, 3) MEND_RECEIVED(4, 7))
MEND_BUFFERS(MPI_Alltoall_init, MEND_SENT(1, 3) MEND_RECEIVED(4, 6))
MEND_BUFFERS(MPI_Alltoallv_init, MEND_SENT(1, 4) MEND_RECEIVED(5, 8))
MEND_BUFFERS(MPI_Reduce_init, MEND_SENT(1, 4) MEND_RECEIVED(2, 4))
MEND_BUFFERS(MPI_Allreduce_init, MEND_SENT(1, 4) MEND_RECEIVED(2, 4))
MEND_BUFFERS(MPI_Reduce_scatter_block_init, MEND_SENT(1, 4) MEND_RECEIVED(2, 4))
MEND_BUFFERS(MPI_Reduce_scatter_init, MEND_SENT(1, 4) MEND_RECEIVED(2, 4))
MEND_BUFFERS(MPI_Scan_init, MEND_SENT(1, 4) MEND_RECEIVED(2, 4))
MEND_BUFFERS(MPI_Exscan_init, MEND_SENT(1, 4) MEND_RECEIVED(2, 4))
MEND_BUFFERS(MPI_Neighbor_allgather, MEND_SENT(1, 3) MEND_RECEIVED(4, 6))
MEND_BUFFERS(MPI_Neighbor_allgatherv, MEND_SENT(1, 3) MEND_RECEIVED(4, 7))
MEND_BUFFERS(MPI_Neighbor_alltoall, MEND_SENT(1, 3) MEND_RECEIVED(4, 6))
MEND_BUFFERS(MPI_Neighbor_alltoallv, MEND_SENT(1, 4) MEND_RECEIVED(5, 8))
MEND_BUFFERS(MPI_Ineighbor_allgather, MEND_SENT(1, 3) MEND_RECEIVED(4, 6))
MEND_BUFFERS(MPI_Ineighbor_allgatherv, MEND_SENT(1, 3) MEND_RECEIVED(4, 7))
MEND_BUFFERS(MPI_Ineighbor_alltoall, MEND_SENT(1, 3) MEND_RECEIVED(4, 6))
MEND_BUFFERS(MPI_Ineighbor_alltoallv, MEND_SENT(1, 4) MEND_RECEIVED(5, 8))
MEND_BUFFERS(MPI_Neighbor_allgather_init, MEND_SENT(1, 3) MEND_RECEIVED(4, 6))
MEND_BUFFERS(MPI_Neighbor_allgatherv_init, MEND_SENT(1, 3) MEND_RECEIVED(4, 7))
MEND_BUFFERS(MPI_Neighbor_alltoall_init, MEND_SENT(1, 3) MEND_RECEIVED(4, 6))
MEND_BUFFERS(MPI_Neighbor_alltoallv_init, MEND_SENT(1, 4) MEND_RECEIVED(5, 8))
MEND_BUFFERS(MPI_Put, MEND_SENT(1, 3))
MEND_BUFFERS(MPI_Get, MEND_RECEIVED(1, 3))
MEND_BUFFERS(MPI_Accumulate, MEND_SENT(1, 3))
MEND_BUFFERS(MPI_Get_accumulate, MEND_SENT(1, 3) MEND_RECEIVED(4, 6))
MEND_BUFFERS_ONCE(MPI_Fetch_and_op, MEND_SENT(1, 3) MEND_RECEIVED(2, 3))
MEND_BUFFERS_ONCE(MPI_Compare_and_swap, MEND_SENT(1, 4) MEND_SENT(2, 4) MEND_RECEIVED(3, 4))
MEND_BUFFERS(MPI_Rput, MEND_SENT(1, 3))
MEND_BUFFERS(MPI_Rget, MEND_RECEIVED(1, 3))
MEND_BUFFERS(MPI_Raccumulate, MEND_SENT(1, 3))
MEND_BUFFERS(MPI_Rget_accumulate, MEND_SENT(1, 3) MEND_RECEIVED(4, 6))
MEND_BUFFERS(MPI_File_read_at, MEND_RECEIVED(3, 5))
MEND_BUFFERS(MPI_File_read_at_all, MEND_RECEIVED(3, 5))
MEND_BUFFERS(MPI_File_write_at, MEND_SENT(3, 5))
MEND_BUFFERS(MPI_File_write_at_all, MEND_SENT(3, 5))
MEND_BUFFERS(MPI_File_iread_at, MEND_RECEIVED(3, 5))
MEND_BUFFERS(MPI_File_iread_at_all, MEND_RECEIVED(3, 5))
MEND_BUFFERS(MPI_File_iwrite_at, MEND_SENT(3, 5))
MEND_BUFFERS(MPI_File_iwrite_at_all, MEND_SENT(3, 5))
MEND_BUFFERS(MPI_File_read, MEND_RECEIVED(2, 4))
MEND_BUFFERS(MPI_File_read_all, MEND_RECEIVED(2, 4))
MEND_BUFFERS(MPI_File_write, MEND_SENT(2, 4))
MEND_BUFFERS(MPI_File_write_all, MEND_SENT(2, 4))
MEND_BUFFERS(MPI_File_iread, MEND_RECEIVED(2, 4))
MEND_BUFFERS(MPI_File_iread_all, MEND_RECEIVED(2, 4))
MEND_BUFFERS(MPI_File_iwrite, MEND_SENT(2, 4))
MEND_BUFFERS(MPI_File_iwrite_all, MEND_SENT(2, 4))
MEND_BUFFERS(MPI_File_read_shared, MEND_RECEIVED(2, 4))
MEND_BUFFERS(MPI_File_write_shared, MEND_SENT(2, 4))
MEND_BUFFERS(MPI_File_iread_shared, MEND_RECEIVED(2, 4))
MEND_BUFFERS(MPI_File_iwrite_shared, MEND_SENT(2, 4))
MEND_BUFFERS(MPI_File_read_ordered, MEND_RECEIVED(2, 4))
MEND_BUFFERS(MPI_File_write_ordered, MEND_SENT(2, 4))
MEND_BUFFERS(MPI_File_read_at_all_begin, MEND_RECEIVED(3, 5))
MEND_BUFFERS(MPI_File_write_at_all_begin, MEND_SENT(3, 5))
MEND_BUFFERS(MPI_File_read_all_begin, MEND_RECEIVED(2, 4))
MEND_BUFFERS(MPI_File_write_all_begin, MEND_SENT(2, 4))
MEND_BUFFERS(MPI_File_read_ordered_begin, MEND_RECEIVED(2, 4))
MEND_BUFFERS(MPI_File_write_ordered_begin, MEND_SENT(2, 4))
/* clang-format on */

#undef MEND_TAG
#undef MEND_PAIR
#undef MEND_BUFFERS
#undef MEND_BUFFERS_ONCE
#undef MEND_SENT
#undef MEND_RECEIVED

#endif
