! Arrays of two dimensions, their parts, sums and maxima.
program heat
  implicit none
  integer, parameter :: n = 20
  real(8) :: u(n, n), v(n, n)
  integer :: i, j, k
  u = 0
  v = 0
  u(1, :) = 100
  do k = 1, 50
    do concurrent (j = 2:n - 1, i = 2:n - 1)
      v(i, j) = 0.25d0 * (u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1))
    end do
    u(2:n - 1, 2:n - 1) = v(2:n - 1, 2:n - 1)
  end do
  print '(3f12.6)', sum(u), maxval(u(2:, :)), u(5, 5)
end program
