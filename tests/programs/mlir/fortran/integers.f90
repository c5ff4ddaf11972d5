! Integers of every size, their bits, and conversions.
program integers
  implicit none
  integer(1) :: a = 127_1
  integer(2) :: b = -300_2
  integer(4) :: c = 123456789
  integer(8) :: d = -9876543210_8
  integer(16) :: e = 170141183460469231731687303715884105727_16
  real(4) :: x
  a = int(iand(int(a), 85), 1)
  print *, a, ishft(b, 3), ieor(c, int(b, 4)), shiftr(d, 5), mod(d, 1000_8), modulo(d, 1000_8)
  print *, e, e / 3_16, popcnt(c), leadz(c), trailz(d), ibits(c, 4, 9)
  x = transfer(c, x)
  print *, x, exponent(1024.5), fraction(1024.5), nearest(1.0, 1.0) > 1.0, int(-2.7), nint(-2.5), floor(-2.1), ceiling(2.1)
  print *, huge(a), huge(b), huge(c), huge(d), dim(3, 5), sign(4, -1), ishftc(c, 7), not(c), btest(c, 4)
end program
