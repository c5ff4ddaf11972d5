! Mathematical functions and real numbers of both precisions, formatted in many ways.
program numbers
  implicit none
  real(4) :: s
  real(8) :: d, v(5)
  integer :: i
  do i = 1, 5
    s = 0.3 * i
    d = 0.3d0 * i
    v(i) = sin(d) + cos(d) * tan(d) - atan2(d, 2d0) + exp(-d) * log(d + 1) + sqrt(d) + d**1.7d0 + d**i
    print '(5f11.6)', sinh(s), asin(s / 2), log10(s), gamma(s), erf(s)
  end do
  print '(5es14.6)', v
  print '(e12.4, g12.4, f8.2, l3, z10, b12)', v(1), v(2), v(3), v(4) > v(3), 48879, 1234
  print *, minloc(v), dot_product(v, v), norm2(v), product(v(1:2)), hypot(3d0, 4d0), mod(7.5, 2.0), aint(-3.7)
  print *, 1.0 / 3.0, 1d0 / 3d0, tiny(s), huge(d), epsilon(d), max(1.5, s, 0.2), min(d, 0.1d0)
end program
