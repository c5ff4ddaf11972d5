! Internal procedures as actual arguments and as targets of procedure pointers, without anything of Fortran's library: the
! main program is main.c.
module procedures
  use iso_c_binding
  implicit none
  abstract interface
    integer(c_int) function callback(i) bind(c)
      import c_int
      integer(c_int), value :: i
    end function
    integer function unary(i)
      integer, intent(in) :: i
    end function
    real(8) function real_unary(x)
      real(8), intent(in) :: x
    end function
    subroutine visit(i, x, total)
      integer, intent(in) :: i
      real(8), intent(in) :: x
      real(8), intent(inout) :: total
    end subroutine
  end interface
  type holder
    procedure(unary), pointer, nopass :: f
  end type
contains
  integer function apply(f, i)
    procedure(unary) :: f
    integer, intent(in) :: i
    apply = f(i)
  end function

  ! An interface of the old kind: nothing is known of `f` but that it is a function.
  integer function apply77(f, i)
    integer, external :: f
    integer, intent(in) :: i
    apply77 = f(i)
  end function

  real(8) function integrate(f, a, b, steps)
    procedure(real_unary) :: f
    real(8), intent(in) :: a, b
    integer, intent(in) :: steps
    integer :: i
    integrate = 0
    do i = 1, steps
      integrate = integrate + f(a + (b - a) * (i - 0.5d0) / steps)
    end do
    integrate = integrate * (b - a) / steps
  end function

  subroutine each(values, count, f, total)
    integer, intent(in) :: count
    real(8), intent(in) :: values(count)
    procedure(visit) :: f
    real(8), intent(inout) :: total
    integer :: i
    do i = 1, count
      call f(i, values(i), total)
    end do
  end subroutine

  ! Arguments, with and without an interface, of procedures that share their host's variables.
  integer(c_int) function arguments(n) bind(c)
    integer(c_int), value :: n
    integer :: calls
    calls = 0
    arguments = apply(add, 1) + apply77(times, 2) + apply(both, 3)
    arguments = arguments * 100 + calls
  contains
    integer function add(i)
      integer, intent(in) :: i
      calls = calls + 1
      add = n + i
    end function
    integer function times(i)
      integer, intent(in) :: i
      calls = calls + 1
      times = n * i
    end function
    integer function both(i)
      integer, intent(in) :: i
      both = apply(add, i) + apply(times, i)
    end function
  end function

  ! Procedure pointers, called elsewhere and from another internal procedure through the host.
  integer(c_int) function pointers(n) bind(c)
    integer(c_int), value :: n
    procedure(unary), pointer :: p
    type(holder) :: h
    integer :: base
    base = n
    p => shifted
    h%f => p
    pointers = p(1) + call_it(h)
    base = base + 10
    h%f => through
    pointers = pointers + 1000 * call_it(h)
  contains
    integer function shifted(i)
      integer, intent(in) :: i
      shifted = base + i
    end function
    integer function through(i)
      integer, intent(in) :: i
      through = 2 * p(i)
    end function
  end function

  integer function call_it(h)
    type(holder), intent(in) :: h
    call_it = h%f(5)
  end function

  ! Floating point, in a loop that makes its trampoline again and again.
  real(c_double) function numbers(n) bind(c)
    integer(c_int), value :: n
    integer :: k
    real(8) :: values(4), total
    numbers = 0
    do k = 1, n
      numbers = numbers + integrate(power, 0d0, 1d0, 20)
    end do
    do k = 1, 4
      values(k) = k
    end do
    total = 0
    call each(values, 4, weigh, total)
    numbers = numbers + total
  contains
    real(8) function power(x)
      real(8), intent(in) :: x
      power = x**k
    end function
    subroutine weigh(i, x, total)
      integer, intent(in) :: i
      real(8), intent(in) :: x
      real(8), intent(inout) :: total
      total = total + x * i * n
    end subroutine
  end function

  ! Many ends, some of which come before any trampoline.
  integer(c_int) function ends(n) bind(c)
    integer(c_int), value :: n
    integer :: k
    ends = -1
    if (n == 0) return
    ends = apply(plus, 1)
    if (n == 1) return
    do k = 1, n
      ends = ends + apply(plus, k)
      if (ends > 60) return
      if (mod(k, 2) == 0) ends = ends + apply(minus, k)
    end do
    ends = -ends
  contains
    integer function plus(i)
      integer, intent(in) :: i
      plus = n + i
    end function
    integer function minus(i)
      integer, intent(in) :: i
      minus = n - i - k
    end function
  end function

  ! As many trampolines alive at once as the recursion is deep; the innermost reaches every host.
  recursive integer function deeper(n, previous) result(sum)
    integer, intent(in) :: n
    procedure(unary) :: previous
    if (n == 0) then
      sum = previous(1)
    else
      sum = mod(deeper(n - 1, mine) + previous(0), 1000007)
    end if
  contains
    integer function mine(i)
      integer, intent(in) :: i
      mine = n + i * 3
    end function
  end function

  integer(c_int) function deep(n) bind(c)
    integer(c_int), value :: n
    deep = deeper(n, start)
  contains
    integer function start(i)
      integer, intent(in) :: i
      start = n * 2 + i
    end function
  end function
end module
