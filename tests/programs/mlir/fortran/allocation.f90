! Arrays and pointers that are allocated, passed, grown and freed.
program allocation
  implicit none
  type node
    integer :: value
    type(node), pointer :: next => null()
  end type
  type(node), pointer :: head, at
  real(8), allocatable :: a(:), b(:, :)
  integer :: i
  nullify (head)
  do i = 1, 10
    allocate (at)
    at%value = i * i
    at%next => head
    head => at
  end do
  allocate (a(0))
  at => head
  do while (associated(at))
    a = [a, real(at%value, 8)]
    at => at%next
  end do
  b = reshape(a, [2, 5])
  call scaled(b(:, 2:4:2), 0.5d0)
  print '(10f7.2)', b
  print *, size(a), shape(transpose(b)), matmul(b, transpose(b))
  do while (associated(head))
    at => head%next
    deallocate (head)
    head => at
  end do
contains
  subroutine scaled(m, by)
    real(8), intent(inout) :: m(:, :)
    real(8), intent(in) :: by
    m = m * by
  end subroutine
end program
