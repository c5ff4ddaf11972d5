! Derived types with components that have values from the start, in a module's variables, too.
module shapes
  implicit none
  type point
    real :: x = 1.5, y = -2
  end type
  type shape
    character(8) :: name = 'none'
    type(point) :: corners(3)
    integer :: count = 3
    integer(2), allocatable :: marks(:)
  end type
  type(shape), save :: last
  integer, save :: table(2, 3) = reshape([1, 2, 3, 4, 5, 6], [2, 3])
contains
  function moved(s, by) result(r)
    type(shape), intent(in) :: s
    real, intent(in) :: by
    type(shape) :: r
    integer :: i
    r = s
    do i = 1, r%count
      r%corners(i)%x = r%corners(i)%x + by
      r%corners(i)%y = r%corners(i)%y * by
    end do
    if (.not. allocated(r%marks)) allocate (r%marks(2), source=7_2)
    r%marks(2) = r%marks(2) + 1_2
  end function
end module

program records
  use shapes
  implicit none
  last = moved(last, 2.5)
  last = moved(last, 2.0)
  last%name = 'triangle'
  print *, last%name, last%corners(2)%x, last%corners(3)%y, last%marks
  print *, table(2, :), sum(table)
end program
