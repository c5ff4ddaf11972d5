set width 0
set print address off
set print object on
break Both::area
break outer::Array<double, 3>::sum
break catcher
run
info args
info locals
print *this
next
print own
finish
bt
continue
info args
next
next
next
info locals
print *this
finish
continue
bt
catch throw
continue
bt
frame function thrower
info args
info locals
print guard
up
info locals
print depth
frame function catcher
info locals
catch catch
continue
frame function catcher
info locals
delete
break classes.cpp:51
continue
info locals
print text
finish
advance classes.cpp:77
info locals
print numbers
print owner
print closure
print array
print base
print own_thread
print outer::hidden
print Both::count
ptype both
ptype base
ptype closure
ptype array
ptype Both::Kind
tbreak Guard::~Guard
info symbol catcher
list thrower
info functions catcher
info types Both
continue
