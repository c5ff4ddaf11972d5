break program.rs:14
run
print *shape
print by
print factor
break program.rs:17
continue
print whole
backtrace
finish
continue
print *shape
break program.rs:21
continue
print *w + *h
print product
delete
break program.rs:31
continue
info args
print points.length
print name.length
print *points.data_ptr
print each
print sum
up
print points[1].y
delete
break program.rs:40
continue
print *self
print text.vec.len
finish
delete
break program.rs:58
continue
print text.vec.len
print pair
print letter
print result
ptype points
ptype pair
ptype program::Point
