! Constructs as gfortran compiles them, with integers of 4 and 8 bytes, threadprivate common blocks, and locks.
program constructs
  use omp_lib
  implicit none
  integer :: threads, wrong, counted, i, number
  integer(8) :: j, total
  integer(omp_lock_kind) :: lock
  integer(omp_nest_lock_kind) :: nest
  character(len=16) :: argument
  integer :: mine
  common /own/ mine
  !$omp threadprivate(/own/)

  call get_command_argument(1, argument)
  read (argument, *) threads
  call omp_set_num_threads(threads)
  wrong = 0
  counted = 0
  total = 0
  call omp_init_lock(lock)
  call omp_init_nest_lock(nest)
  !$omp parallel private(number, i) reduction(+:wrong)
  number = omp_get_thread_num()
  mine = number
  if (omp_get_num_threads() /= threads) wrong = wrong + 1
  do i = 1, 100
    call omp_set_lock(lock)
    counted = counted + 1
    call omp_unset_lock(lock)
    call omp_set_nest_lock(nest)
    if (omp_test_nest_lock(nest) /= 2) wrong = wrong + 1
    call omp_unset_nest_lock(nest)
    call omp_unset_nest_lock(nest)
    !$omp barrier
    if (mine /= number) wrong = wrong + 1
  end do
  !$omp end parallel
  if (counted /= 100 * threads) wrong = wrong + 1
  !$omp parallel do schedule(dynamic, 3) reduction(+:total)
  do j = 10000000000_8, 10000000999_8
    total = total + j - 10000000000_8
  end do
  if (total /= 499500) wrong = wrong + 1
  total = 0
  !$omp parallel
  !$omp do schedule(guided) ordered
  do i = 1000, 1, -1
    !$omp ordered
    if (mod(total, 7_8) < 7) total = total * 3 + i
    total = mod(total, 1000003_8)
    !$omp end ordered
  end do
  !$omp end parallel
  j = 0
  do i = 1000, 1, -1
    j = mod(j * 3 + i, 1000003_8)
  end do
  if (total /= j) wrong = wrong + 1
  call omp_destroy_nest_lock(nest)
  call omp_destroy_lock(lock)
  if (wrong == 0) then
    print '(a)', 'good'
  else
    print '(a, i0)', 'wrong: ', wrong
    stop 1
  end if
end program
