! Every kind of choice and loop, and leaving them.
program control
  implicit none
  integer :: i, j, k, found
  integer(8) :: h
  logical :: flags(10)
  character(2) :: word
  found = 0
  outer: do i = 1, 100
    do j = i, 100
      k = nint(sqrt(real(i * i + j * j)))
      if (k * k /= i * i + j * j) cycle
      found = found + 1
      if (found == 12) exit outer
    end do
  end do outer
  print *, i, j, k, found
  h = 27
  k = 0
  do
    if (h == 1) exit
    select case (mod(h, 2_8))
    case (0)
      h = h / 2
    case default
      h = 3 * h + 1
    end select
    k = k + 1
  end do
  print *, k
  do i = -3, 12, 4
    select case (i)
    case (:-1)
      word = 'lo'
    case (0:4)
      word = 'mi'
    case (5, 9)
      word = 'hi'
    end select
    print *, i, word
  end do
  flags = [(mod(i, 3) == 0, i=1, 10)]
  where (flags(2:))
    flags(:9) = .false.
  elsewhere
    flags(:9) = .not. flags(:9)
  end where
  print *, flags, count(flags), any(flags), all(flags)
  goto (10, 20, 30), 2
10 print *, 'one'
20 print *, 'two'
30 stop
end program
