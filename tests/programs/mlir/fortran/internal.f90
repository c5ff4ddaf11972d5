! Internal procedures as actual arguments: flang makes trampolines for them, through which outer procedures reach the host's
! variables.
module outer
  implicit none
  abstract interface
    subroutine visit(i, x)
      integer, intent(in) :: i
      real(8), intent(inout) :: x
    end subroutine
  end interface
contains
  subroutine each(f, a)
    procedure(visit) :: f
    real(8), intent(inout) :: a(:)
    integer :: i
    do i = 1, size(a)
      call f(i, a(i))
    end do
  end subroutine
  recursive integer function depth(n, f) result(r)
    integer, intent(in) :: n
    procedure(visit) :: f
    real(8) :: x
    integer :: calls
    x = n
    calls = 0
    if (n == 0) then
      call f(0, x)
      r = nint(x)
    else
      ! This activation's variables, seen from the one below.
      r = depth(n - 1, counted) + calls
    end if
  contains
    subroutine counted(i, x)
      integer, intent(in) :: i
      real(8), intent(inout) :: x
      calls = calls + n
      call f(i + 1, x)
      x = x + i
    end subroutine
  end function
end module

program internal
  use outer
  implicit none
  real(8) :: a(5), total
  integer :: k
  a = [1d0, 2d0, 3d0, 4d0, 5d0]
  total = 0
  call each(add, a)
  call each(scale, a)
  print '(6f9.3)', a, total
  do k = 1, 4
    print '(i4, i6)', k, depth(k, add)
  end do
  print '(f9.3)', total
contains
  subroutine add(i, x)
    integer, intent(in) :: i
    real(8), intent(inout) :: x
    total = total + i * x
  end subroutine
  subroutine scale(i, x)
    integer, intent(in) :: i
    real(8), intent(inout) :: x
    x = x * i + total
  end subroutine
end program
