break program.f90:14
run
info args
next
next
print i
print by
print n
backtrace
up
break program.f90:44
break program.f90:24
continue
info args
print own
print total
backtrace
up
continue
print result
print numbers
print grid
print yes
print numbers(2)
print word
print z
print grid(2, 3)
ptype place
ptype grid
ptype z
