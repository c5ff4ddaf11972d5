module m
  integer :: total = 0
contains
  subroutine add(a, n)
    integer, intent(in) :: n
    real, intent(inout) :: a(n)
    integer :: i
    do i = 1, n
      a(i) = a(i) + i
      total = total + 1
    end do
  end subroutine
end module
program p
  use m
  real :: x(4)
  x = 1.0
  call add(x, 4)
  print *, x, total
end program
