! SPDX-License-Identifier: BSD-3-Clause
! sum.f90 - Fortran without bindings of MPI's: the functions of the C interface by iso_c_binding.
!
! Handles are C pointers; predefined ones come from their numbers in the standard ABI (mpi.h).  A rank that is
! lost is an error code here, too.
!
!   gfortran sum.f90 -o sum $(mpicc -showme:link)
!   mpiexec -n 3 --inject kill:1@call:MPI_Allreduce ./sum
program sum
  use iso_c_binding
  implicit none
  interface
    integer(c_int) function mpi_init(argc, argv) bind(c, name="MPI_Init")
      import; type(c_ptr), value :: argc, argv
    end function
    integer(c_int) function mpi_finalize() bind(c, name="MPI_Finalize")
      import
    end function
    integer(c_int) function mpi_comm_rank(comm, rank) bind(c, name="MPI_Comm_rank")
      import; type(c_ptr), value :: comm; integer(c_int) :: rank
    end function
    integer(c_int) function mpi_comm_set_errhandler(comm, handler) bind(c, name="MPI_Comm_set_errhandler")
      import; type(c_ptr), value :: comm, handler
    end function
    integer(c_int) function mpi_allreduce(from, to, n, type, op, comm) bind(c, name="MPI_Allreduce")
      import; type(c_ptr), value :: from, to, type, op, comm; integer(c_int), value :: n
    end function
    integer(c_int) function mpix_comm_shrink(comm, newcomm) bind(c, name="MPIX_Comm_shrink")
      import; type(c_ptr), value :: comm; type(c_ptr) :: newcomm
    end function
    type(c_ptr) function comm_fromint(number) bind(c, name="MPI_Comm_fromint")
      import; integer(c_int), value :: number
    end function
    type(c_ptr) function type_fromint(number) bind(c, name="MPI_Type_fromint")
      import; integer(c_int), value :: number
    end function
    type(c_ptr) function op_fromint(number) bind(c, name="MPI_Op_fromint")
      import; integer(c_int), value :: number
    end function
    type(c_ptr) function errhandler_fromint(number) bind(c, name="MPI_Errhandler_fromint")
      import; integer(c_int), value :: number
    end function
  end interface
  integer, parameter :: mpi_comm_world = int(z'101'), mpi_integer = int(z'219'), mpi_sum = int(z'021'), &
    mpi_errors_return = int(z'143')
  type(c_ptr) :: world, living
  integer(c_int), target :: rank, total
  integer :: err

  err = mpi_init(c_null_ptr, c_null_ptr)
  world = comm_fromint(mpi_comm_world)
  err = mpi_comm_set_errhandler(world, errhandler_fromint(mpi_errors_return))
  err = mpi_comm_rank(world, rank)
  err = mpi_allreduce(c_loc(rank), c_loc(total), 1, type_fromint(mpi_integer), op_fromint(mpi_sum), world)
  if (err /= 0) then
    err = mpix_comm_shrink(world, living)
    err = mpi_allreduce(c_loc(rank), c_loc(total), 1, type_fromint(mpi_integer), op_fromint(mpi_sum), living)
  end if
  print *, 'rank', rank, 'sum', total, 'error', err
  err = mpi_finalize()
end program sum
