break sum
run
info args
next
next
next
next
print i
print s
print *p
print q.d[1]
print p->more
break kinds.c:22
continue
info locals
print lengths
print own
print counter
print u
backtrace
up
print p.bits
print argc
