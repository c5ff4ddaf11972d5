
; ---- Messages: why there is no trampoline, and what ends the program ----

@cannot_map = text "cannot map "
@bytes_for_trampolines = text " bytes for trampolines: "
@cannot_make = text "cannot make "
@bytes_executable = text " bytes of trampolines executable: "
@large_pages = text "trampolines cannot be apart from their data on pages of "
@misaligned = text "memory for a trampoline has to be aligned to "
@bytes = text " bytes"
@no_memory = text "no memory for what the thread needs"
@none_made = text "none was made"
@hexadecimal = text "0x"
@space = text " "
@open = text " ("
@plus = text "+"
@comma = text ", "
@close = text ")"
@colon = text ": "
@line_end = text "\0A"
@freed = text "freed"
@first_freed = text "first freed"
@called = text "called"
@call_of_dead = text "gusset: call of the dead internal procedure "
@through = text "\0A  through the freed trampoline "
@the_trampoline = text "gusset: the trampoline "
@to = text " to "
@freed_again = text " is freed again"
@by_the_call = text " by the call that returns to "
@comma_by_the_call = text ", by the call that returns to "
@unknown_place = text "  it is not known where it was "
@host_left = text "  its host was left without freeing it, by longjmp for example\0A"
@two_spaces = text "  "
@gusset = text "gusset: "
@is = text " is "
@as_a_trampoline = text " as a trampoline, and is none"
@no_trampoline_for = text "gusset: no trampoline for an internal procedure: "
@no_trampoline_for_the = text "gusset: no trampoline for the internal procedure "

; Calls of freed trampolines come here. The record is the chain.
define internal void @dead(ptr nest %record) {
  call void @called_dead(ptr %record)
  unreachable
}

; Begins an empty text in a buffer, of which the last byte stays zero.
define internal void @begin(ptr %line, ptr %buffer, $word %bytes) {
  %last = sub $word %bytes, 1
  %end = getelementptr i8, ptr %buffer, $word %last
  store ptr %buffer, ptr %line
  %end_at = getelementptr %line, ptr %line, i32 0, i32 1
  store ptr %end, ptr %end_at
  store i8 0, ptr %buffer
  ret void
}

; Appends a text as far as it fits.
define internal void @put(ptr %line, ptr %text) {
  %start = load ptr, ptr %line
  %end_at = getelementptr %line, ptr %line, i32 0, i32 1
  %end = load ptr, ptr %end_at
  br label %next
next:
  %to = phi ptr [ %start, %0 ], [ %to_after, %one ]
  %from = phi ptr [ %text, %0 ], [ %from_after, %one ]
  %byte = load i8, ptr %from
  %over = icmp eq i8 %byte, 0
  %full = icmp eq ptr %to, %end
  %stop = or i1 %over, %full
  br i1 %stop, label %done, label %one
one:
  store i8 %byte, ptr %to
  %to_after = getelementptr i8, ptr %to, i32 1
  %from_after = getelementptr i8, ptr %from, i32 1
  br label %next
done:
  store i8 0, ptr %to
  store ptr %to, ptr %line
  ret void
}

; Appends a number, in base 16 with `0x` before it.
define internal void @put_number(ptr %line, $word %number, $word %base) {
  %buffer = alloca [24 x i8]
  %last = getelementptr i8, ptr %buffer, i32 23
  store i8 0, ptr %last
  br label %digit
digit:
  %rest = phi $word [ %number, %0 ], [ %quotient, %digit ]
  %after = phi ptr [ %last, %0 ], [ %at, %digit ]
  %quotient = udiv $word %rest, %base
  %value = urem $word %rest, %base
  %letter = icmp uge $word %value, 10
  %zero = select i1 %letter, $word 87, $word 48
  %code = add $word %value, %zero
  %byte = trunc $word %code to i8
  %at = getelementptr i8, ptr %after, i32 -1
  store i8 %byte, ptr %at
  %more = icmp ne $word %quotient, 0
  br i1 %more, label %digit, label %prefix
prefix:
  %sixteen = icmp eq $word %base, 16
  br i1 %sixteen, label %hexadecimal, label %put
hexadecimal:
  call void @put(ptr %line, ptr @hexadecimal)
  br label %put
put:
  call void @put(ptr %line, ptr %at)
  ret void
}

define internal void @put_pointer(ptr %line, ptr %pointer) {
  %number = ptrtoint ptr %pointer to $word
  call void @put_number(ptr %line, $word %number, $word 16)
  ret void
}

; Enters into the thread's part why there is no trampoline: this text, number and text, and the system's error number.
define internal void @refuse(ptr %before, $word %number, ptr %after, i32 %code) {
  %line = alloca %line
  %local = call ptr @own_part()
  %none = icmp eq ptr %local, null
  br i1 %none, label %end, label %write
write:
  %code_at = getelementptr %local, ptr %local, i32 0, i32 5
  store i32 %code, ptr %code_at
  %text = getelementptr %local, ptr %local, i32 0, i32 6
  call void @begin(ptr %line, ptr %text, $word 200)
  call void @put(ptr %line, ptr %before)
  call void @put_number(ptr %line, $word %number, $word 10)
  call void @put(ptr %line, ptr %after)
  %system = icmp ne i32 %code, 0
  br i1 %system, label %explain, label %done
explain:
  call void @explain(ptr %line, i32 %code)
  br label %done
done:
  call void @done_with(ptr %local)
  ret void
end:
  ret void
}

; Makes the error number of the last refusal the system's last one.
define internal void @restore_error() {
  %local = call ptr @own_part()
  %none = icmp eq ptr %local, null
  br i1 %none, label %end, label %restore
restore:
  %code_at = getelementptr %local, ptr %local, i32 0, i32 5
  %code = load i32, ptr %code_at
  call void @done_with(ptr %local)
  call void @set_last_error(i32 %code)
  ret void
end:
  ret void
}

; Where it was freed, after the text `how`.
define internal void @put_site(ptr %line, ptr %how, ptr %record) {
  %site_at = getelementptr %record, ptr %record, i32 0, i32 3
  %site = load ptr, ptr %site_at
  %left = icmp eq ptr %site, inttoptr ($word 1 to ptr)
  br i1 %left, label %host_left, label %look
host_left:
  call void @put(ptr %line, ptr @host_left)
  ret void
look:
  %unknown = icmp eq ptr %site, null
  br i1 %unknown, label %not_known, label %known
not_known:
  call void @put(ptr %line, ptr @unknown_place)
  call void @put(ptr %line, ptr %how)
  br label %end
known:
  call void @put(ptr %line, ptr @two_spaces)
  call void @put(ptr %line, ptr %how)
  call void @put(ptr %line, ptr @by_the_call)
  call void @put_address(ptr %line, ptr %site)
  br label %end
end:
  call void @put(ptr %line, ptr @line_end)
  ret void
}

define internal void @put_code(ptr %line, ptr %record) {
  %slot = load ptr, ptr %record
  %code = getelementptr i8, ptr %slot, i32 -$unit
  call void @put_pointer(ptr %line, ptr %code)
  ret void
}

; Reports a call through a freed trampoline.
define internal void @called_dead(ptr %record) {
  %line = alloca %line
  %buffer = alloca [1500 x i8]
  call void @begin(ptr %line, ptr %buffer, $word 1500)
  call void @put(ptr %line, ptr @call_of_dead)
  %dead_at = getelementptr %record, ptr %record, i32 0, i32 2
  %dead = load ptr, ptr %dead_at
  call void @put_address(ptr %line, ptr %dead)
  call void @put(ptr %line, ptr @through)
  call void @put_code(ptr %line, ptr %record)
  call void @put(ptr %line, ptr @line_end)
  call void @put_site(ptr %line, ptr @freed, ptr %record)
  call void @fail(ptr %line, ptr %buffer)
  unreachable
}

; Reports that a freed trampoline is freed again.
define internal void @freed_twice(ptr %record, ptr %site) {
  %line = alloca %line
  %buffer = alloca [1500 x i8]
  call void @begin(ptr %line, ptr %buffer, $word 1500)
  call void @put(ptr %line, ptr @the_trampoline)
  call void @put_code(ptr %line, ptr %record)
  call void @put(ptr %line, ptr @to)
  %dead_at = getelementptr %record, ptr %record, i32 0, i32 2
  %dead = load ptr, ptr %dead_at
  call void @put_address(ptr %line, ptr %dead)
  call void @put(ptr %line, ptr @freed_again)
  call void @put(ptr %line, ptr @by_the_call)
  call void @put_address(ptr %line, ptr %site)
  call void @put(ptr %line, ptr @line_end)
  call void @put_site(ptr %line, ptr @first_freed, ptr %record)
  call void @fail(ptr %line, ptr %buffer)
  unreachable
}

; Reports that an address is not a trampoline's handle; `what` was done to it, by the call that returns to `site`.
define internal void @no_trampoline(ptr %what, ptr %handle, ptr %site) {
  %line = alloca %line
  %buffer = alloca [1500 x i8]
  call void @begin(ptr %line, ptr %buffer, $word 1500)
  call void @put(ptr %line, ptr @gusset)
  call void @put_pointer(ptr %line, ptr %handle)
  call void @put(ptr %line, ptr @is)
  call void @put(ptr %line, ptr %what)
  call void @put(ptr %line, ptr @as_a_trampoline)
  %known = icmp ne ptr %site, null
  br i1 %known, label %by, label %end
by:
  call void @put(ptr %line, ptr @comma_by_the_call)
  call void @put_address(ptr %line, ptr %site)
  br label %end
end:
  call void @put(ptr %line, ptr @line_end)
  call void @fail(ptr %line, ptr %buffer)
  unreachable
}

; Reports that an earlier failure was not checked.
define internal void @without_handle() {
  %line = alloca %line
  %buffer = alloca [1500 x i8]
  call void @begin(ptr %line, ptr %buffer, $word 1500)
  call void @put(ptr %line, ptr @no_trampoline_for)
  %error = call ptr @gusset_trampoline_error()
  %none = icmp eq ptr %error, null
  %text = select i1 %none, ptr @none_made, ptr %error
  call void @put(ptr %line, ptr %text)
  call void @put(ptr %line, ptr @line_end)
  call void @fail(ptr %line, ptr %buffer)
  unreachable
}

; Reports that there is no trampoline, where the caller cannot be told.
define internal void @refused(ptr %callee) {
  %line = alloca %line
  %buffer = alloca [1500 x i8]
  call void @begin(ptr %line, ptr %buffer, $word 1500)
  call void @put(ptr %line, ptr @no_trampoline_for_the)
  call void @put_address(ptr %line, ptr %callee)
  call void @put(ptr %line, ptr @colon)
  %error = call ptr @gusset_trampoline_error()
  %none = icmp eq ptr %error, null
  %text = select i1 %none, ptr @none_made, ptr %error
  call void @put(ptr %line, ptr %text)
  call void @put(ptr %line, ptr @line_end)
  call void @fail(ptr %line, ptr %buffer)
  unreachable
}

; Writes the text to standard error, and ends the process.
define internal void @fail(ptr %line, ptr %buffer) {
  %end = load ptr, ptr %line
  %end_address = ptrtoint ptr %end to $word
  %address = ptrtoint ptr %buffer to $word
  %bytes = sub $word %end_address, %address
  call void @end_process(ptr %buffer, $word %bytes)
  unreachable
}
