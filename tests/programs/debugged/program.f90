module shapes
  implicit none
  type :: point
    real :: x, y
    integer :: tag
  end type
  integer :: total = 3
contains
  subroutine scale(values, n, by)
    integer, intent(in) :: n
    real, intent(inout) :: values(n)
    real, intent(in) :: by
    integer :: i
    do i = 1, n
      values(i) = values(i) * by
      total = total + 1
    end do
  end subroutine
  integer function weight(where)
    type(point), intent(in) :: where
    integer :: own
    own = where%tag * 2
    weight = own + total
  end function
end module
program main
  use shapes
  real :: numbers(4)
  real, allocatable :: grid(:, :)
  type(point) :: place
  complex :: z
  logical :: yes
  character(len=5) :: word
  integer :: result
  numbers = 1.5
  call scale(numbers, 4, 2.0)
  allocate(grid(2, 3))
  grid = 0.5
  place = point(1.0, 2.0, 7)
  z = (1.0, -1.0)
  yes = .true.
  word = 'hello'
  result = weight(place)
  print *, result, numbers, word
end program
