! Complex numbers of both precisions: arithmetic, functions, arrays.
program complexes
  implicit none
  complex(4) :: a = (1.5, -2.25), b
  complex(8) :: z, w(4)
  integer :: i
  b = a * conjg(a) + (0.0, 1.0)
  z = cmplx(b, kind=8) / (3.0d0, 4.0d0)
  do i = 1, 4
    w(i) = z**i + sqrt(cmplx(-i, 0, kind=8))
  end do
  print '(2f12.6)', b, z
  print '(2f14.6)', w, abs(w(2)), aimag(sum(w)), exp((0.0d0, 1.0d0))
  print *, real(a) == 1.5, a /= b
end program
