! Storage that units share: common blocks, equivalences, values from the start, and what is saved between calls.
block data start
  implicit none
  integer :: n
  real(8) :: x(4)
  character(4) :: tag
  common /shared/ x, n, tag
  data x /1d0, 2*2.5d0, -4d0/, n /17/, tag /'data'/
end block data

integer function tick()
  implicit none
  integer, save :: count = 100
  count = count + 1
  tick = count
end function

subroutine change(factor)
  implicit none
  real(8) :: factor, x(4)
  integer :: n
  character(4) :: tag
  common /shared/ x, n, tag
  x = x * factor
  n = n + 1
  tag(2:3) = 'ON'
end subroutine

program common_blocks
  implicit none
  integer, external :: tick
  integer :: n, i, words(2)
  real(8) :: x(4), r
  character(4) :: tag
  equivalence (r, words)
  common /shared/ x, n, tag
  do i = 1, 3
    call change(1.5d0)
    n = n + tick()
  end do
  r = 1d0
  print '(4f10.4, 1x, i0, 1x, a, 2(1x, z8.8))', x, n, tag, words
end program
