! A whole program: internal procedures beside Fortran's library, which prints, reads, allocates and reshapes.
module hosts
  implicit none
  abstract interface
    integer function unary(i)
      integer, intent(in) :: i
    end function
  end interface
contains
  integer function apply(f, i)
    procedure(unary) :: f
    integer, intent(in) :: i
    apply = f(i)
  end function

  integer function apply77(f, i)
    integer, external :: f
    integer, intent(in) :: i
    apply77 = f(i)
  end function

  ! Names of the host's as text, collected by an internal subroutine.
  subroutine collect(names, count)
    character(*), intent(in) :: names(:)
    integer, intent(in) :: count
    character(:), allocatable :: all
    integer :: i
    all = ''
    do i = 1, count
      call each(add, names(i))
    end do
    print '(a, i0)', all, len(all)
  contains
    subroutine add(name)
      character(*), intent(in) :: name
      all = all // trim(name) // ';'
    end subroutine
  end subroutine

  subroutine each(f, name)
    interface
      subroutine f(name)
        character(*), intent(in) :: name
      end subroutine
    end interface
    character(*), intent(in) :: name
    call f(name)
  end subroutine

  ! As many hosts alive as the recursion is deep, each reached by a pointer.
  recursive subroutine descend(n, previous, total)
    integer, intent(in) :: n
    procedure(unary) :: previous
    integer(8), intent(inout) :: total
    if (n > 0) then
      call descend(n - 1, here, total)
    end if
    total = total + previous(n)
  contains
    integer function here(i)
      integer, intent(in) :: i
      here = n - i
    end function
  end subroutine
end module

program main
  use hosts
  implicit none
  procedure(unary), pointer :: p
  integer :: base, i
  integer(8) :: total
  real, allocatable :: grid(:, :)
  character(20) :: text
  base = 10
  p => shifted
  print *, p(1), apply(p, 2), apply(shifted, 3), apply77(shifted, 4)
  base = 100
  print '(3i6)', (apply(p, i), i = 1, 3)
  call collect(['one  ', 'two  ', 'three'], 3)
  total = 0
  call descend(5000, shifted, total)
  print *, total
  allocate(grid(3, 4))
  grid = reshape([(real(i), i = 1, 12)], [3, 4])
  call visit
  write (text, '(f12.3)') sum(matmul(transpose(grid), grid))
  read (text, *) grid(1, 1)
  print '(a, es12.4)', trim(text), grid(1, 1)
contains
  integer function shifted(i)
    integer, intent(in) :: i
    shifted = base + i
  end function
  subroutine visit
    integer :: column
    do column = 1, size(grid, 2)
      print '(i2, 3f7.2)', column, grid(:, column)
    end do
    if (allocated(grid)) grid(2, 2) = real(apply(shifted, column))
  end subroutine
end program
