! Recursion, optional arguments, functions as arguments, internal procedures that see their host's variables.
module library
  implicit none
  abstract interface
    pure real(8) function curve(x)
      real(8), intent(in) :: x
    end function
  end interface
contains
  recursive integer(8) function ackermann(m, n) result(r)
    integer(8), intent(in) :: m, n
    if (m == 0) then
      r = n + 1
    else if (n == 0) then
      r = ackermann(m - 1, 1_8)
    else
      r = ackermann(m - 1, ackermann(m, n - 1))
    end if
  end function
  real(8) function integral(f, a, b, steps)
    procedure(curve) :: f
    real(8), intent(in) :: a, b
    integer, optional, intent(in) :: steps
    integer :: i, n
    n = 100
    if (present(steps)) n = steps
    integral = 0
    do i = 1, n
      integral = integral + f(a + (b - a) * (i - 0.5d0) / n)
    end do
    integral = integral * (b - a) / n
  end function
  pure real(8) function square(x)
    real(8), intent(in) :: x
    square = x * x
  end function
  elemental integer function digits_of(n)
    integer, intent(in) :: n
    digits_of = merge(1, 2, n < 10)
  end function
end module

program procedures
  use library
  implicit none
  integer :: calls = 0
  print *, ackermann(2_8, 9_8)
  print '(2f12.8)', integral(square, 0d0, 3d0), integral(square, 0d0, 3d0, steps=10)
  call count_down(5)
  print *, calls, digits_of([3, 10, 99, 1])
contains
  recursive subroutine count_down(n)
    integer, intent(in) :: n
    calls = calls + n
    if (n > 0) call count_down(n - 1)
  end subroutine
end program
