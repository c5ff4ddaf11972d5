! Character strings: parts, comparisons, reading numbers from them and writing numbers to them.
program strings
  implicit none
  character(:), allocatable :: s
  character(20) :: line
  character(5) :: words(3) = ['pear ', 'apple', 'fig  ']
  integer :: i, n, k
  s = 'abc'
  do i = 1, 4
    s = s // achar(96 + i) // trim(words(mod(i, 3) + 1))
  end do
  write (line, '(i5.3, f8.3)') 42, 3.14159
  read (line(1:5), *) n
  k = index(s, 'apple')
  print '(a, 1x, i0, 1x, a, 1x, i0, 1x, i0)', s, len(s), line, n, k
  print *, words(1) < words(2), repeat('xy', 3), scan(s, 'gl'), verify('aab', 'a'), adjustr(words(3))
end program
