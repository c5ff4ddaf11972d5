; The pool of trampolines, as the crate gusset-runtime has it in Rust (`runtime/src`): read its comments for the reasons.
; Words that begin with a dollar sign are filled in for each target by `compiler/src/runtime.rs`; the functions of the
; system are in `unix.ll` and `windows.ll`.

%slot = type { ptr, ptr }
; slot, next, dead, site, bundle, run, kind, host, owner
%record = type { ptr, ptr, ptr, ptr, ptr, i16, i16, ptr, ptr }
; old, first, last, count, run, run_left
%lists = type { ptr, ptr, ptr, $word, ptr, $word }
; Lists of each kind, the last trampoline with a host, the thread's stack from its lowest address on, state, error code, text.
; The state is 0 for a thread that has no part yet, 1 for one that has, 2 for one that ends: what it takes it gives back.
%local = type { [2 x %lists], ptr, $word, $word, i32, i32, [200 x i8] }
; The records of a block, next
%part = type { $word, ptr }
; A text that is written: the place of the next byte, the end
%line = type { ptr, ptr }

; The code of a stub of each kind, and what follows it up to the next one.
@stubs = internal constant [2 x [$stride x i8]] [[$stride x i8] c"$stub_c", [$stride x i8] c"$stub_eax"]
; Offsets of the addresses in a stub that are not relative, and -1.
@absolutes = internal constant [3 x i32] [$absolutes]
; The code of a trampoline of each kind in memory of the caller's.
@in_place = internal constant [2 x [$in_place_bytes x i8]] [[$in_place_bytes x i8] c"$in_place_c", [$in_place_bytes x i8] c"$in_place_eax"]
; The blocks of the pool, by the addresses of their records without the lowest 16 bits.
@table = internal global [1024 x ptr] zeroinitializer
; Bundles of unused trampolines of each kind that belong to no thread, under the lock of the system's part.
@depot = internal global [2 x ptr] zeroinitializer

; ---- What programs call ----

define ptr @gusset_trampoline_init(ptr %scratch, ptr %callee, ptr %chain) {
  %pool = icmp eq ptr %scratch, null
  br i1 %pool, label %take, label %slow
take:
  %local = $thread
  %old = load ptr, ptr %local
  %some = icmp ne ptr %old, null
  br i1 %some, label %quick, label %slow
quick:
  %next_at = getelementptr %record, ptr %old, i32 0, i32 1
  %next = load ptr, ptr %next_at
  store ptr %next, ptr %local
  %host_at = getelementptr %record, ptr %old, i32 0, i32 7
  store ptr null, ptr %host_at
  %slot = load ptr, ptr %old
  %chain_at = getelementptr %slot, ptr %slot, i32 0, i32 $chain
  store ptr %chain, ptr %chain_at
  %callee_at = getelementptr %slot, ptr %slot, i32 0, i32 $callee
  store atomic ptr %callee, ptr %callee_at release, align $bytes
  ret ptr %old
slow:
  %made = tail call ptr @init_c(ptr %scratch, ptr %callee, ptr %chain)
  ret ptr %made
}

; What compiled hosts call: the host's variable for the handle comes first.
define ptr @gusset_host_trampoline_init__link_with_libgusset_runtime(ptr %host, ptr %callee, ptr %chain) {
  %made = call ptr @init_for_host(i32 0, ptr %host, ptr %callee, ptr %chain)
  ret ptr %made
}

define ptr @_FortranATrampolineInit(ptr %scratch, ptr %callee, ptr %chain) {
  %made = call ptr @gusset_trampoline_init(ptr %scratch, ptr %callee, ptr %chain)
  %none = icmp eq ptr %made, null
  br i1 %none, label %refused, label %done
refused:
  call void @refused(ptr %callee)
  unreachable
done:
  ret ptr %made
}
@_FortranAInitTrampoline = alias ptr (ptr, ptr, ptr), ptr @_FortranATrampolineInit

define ptr @gusset_trampoline_adjust(ptr %handle) {
  %none = icmp eq ptr %handle, null
  br i1 %none, label %failed, label %some
failed:
  call void @without_handle()
  unreachable
some:
  %here = call i1 @is_in_place(ptr %handle)
  br i1 %here, label %in_place, label %pool
in_place:
  %memory = getelementptr i8, ptr %handle, i32 -1
  ret ptr %memory
pool:
  %slot = call ptr @slot_of(ptr %handle)
  %foreign = icmp eq ptr %slot, null
  br i1 %foreign, label %no_trampoline, label %found
no_trampoline:
  call void @no_trampoline(ptr @called, ptr %handle, ptr null)
  unreachable
found:
  %code = getelementptr i8, ptr %slot, i32 -$unit
  ret ptr %code
}
@_FortranATrampolineAdjust = alias ptr (ptr), ptr @gusset_trampoline_adjust
@_FortranAAdjustTrampoline = alias ptr (ptr), ptr @gusset_trampoline_adjust

; What is usual is done here, without a call and without what calls need; `free_any` does it in any case.
define void @gusset_trampoline_free(ptr %handle) {
  %site = call ptr @llvm.returnaddress(i32 0)
  %address = ptrtoint ptr %handle to $word
  %granule = lshr $word %address, 16
  %index = and $word %granule, 1023
  %list = getelementptr [1024 x ptr], ptr @table, i32 0, $word %index
  %part = load atomic ptr, ptr %list acquire, align $bytes
  %no_part = icmp eq ptr %part, null
  br i1 %no_part, label %slow, label %compare
compare:
  %records = load $word, ptr %part
  %distance = sub $word %address, %records
  %inside = icmp ult $word %distance, $records
  br i1 %inside, label %whole, label %slow
whole:
  %rest = and $word %distance, $record_mask
  %is_record = icmp eq $word %rest, 0
  br i1 %is_record, label %record, label %slow
record:
  %local = $thread
  %lists_kind_at = getelementptr %record, ptr %handle, i32 0, i32 6
  %kind = load i16, ptr %lists_kind_at
  %other_kind = icmp ne i16 %kind, 0
  br i1 %other_kind, label %slow, label %owned
owned:
  %host_at = getelementptr %record, ptr %handle, i32 0, i32 7
  %host = load ptr, ptr %host_at
  %hosted = icmp ne ptr %host, null
  br i1 %hosted, label %slow, label %has_slot
has_slot:
  %slot = load ptr, ptr %handle
  %no_slot = icmp eq ptr %slot, null
  br i1 %no_slot, label %slow, label %has_callee
has_callee:
  %callee_at = getelementptr %slot, ptr %slot, i32 0, i32 $callee
  %callee = load ptr, ptr %callee_at
  %unused = icmp eq ptr %callee, null
  br i1 %unused, label %slow, label %alive
alive:
  %again = icmp eq ptr %callee, @dead
  br i1 %again, label %slow, label %queue
queue:
  ; With a last record, the thread has a part.
  %last_at = getelementptr %lists, ptr %local, i32 0, i32 2
  %last = load ptr, ptr %last_at
  %first = icmp eq ptr %last, null
  br i1 %first, label %slow, label %room
room:
  %count_at = getelementptr %lists, ptr %local, i32 0, i32 3
  %before = load $word, ptr %count_at
  %full = icmp uge $word %before, 511
  br i1 %full, label %slow, label %free
free:
  %dead_at = getelementptr %record, ptr %handle, i32 0, i32 2
  store ptr %callee, ptr %dead_at
  %site_at = getelementptr %record, ptr %handle, i32 0, i32 3
  store ptr %site, ptr %site_at
  %chain_at = getelementptr %slot, ptr %slot, i32 0, i32 $chain
  store ptr %handle, ptr %chain_at
  store atomic ptr @dead, ptr %callee_at release, align $bytes
  %next_at = getelementptr %record, ptr %handle, i32 0, i32 1
  store ptr null, ptr %next_at
  %last_next_at = getelementptr %record, ptr %last, i32 0, i32 1
  store ptr %handle, ptr %last_next_at
  store ptr %handle, ptr %last_at
  %count = add $word %before, 1
  store $word %count, ptr %count_at
  ret void
slow:
  tail call void @free_any(ptr %handle, ptr %site)
  ret void
}
@_FortranATrampolineFree = alias void (ptr), ptr @gusset_trampoline_free
@_FortranAFreeTrampoline = alias void (ptr), ptr @gusset_trampoline_free

define ptr @gusset_trampoline_error() {
  %local = call ptr @own_part()
  %none = icmp eq ptr %local, null
  br i1 %none, label %no_part, label %part
no_part:
  ret ptr @no_memory
part:
  %text = getelementptr %local, ptr %local, i32 0, i32 6
  %first = load i8, ptr %text
  %empty = icmp eq i8 %first, 0
  %found = select i1 %empty, ptr null, ptr %text
  call void @done_with(ptr %local)
  ret ptr %found
}

; ---- Making trampolines ----

define internal ptr @init_c(ptr %scratch, ptr %callee, ptr %chain) {
  %made = call ptr @init(i32 0, ptr %scratch, ptr %callee, ptr %chain)
  ret ptr %made
}

define internal ptr @init(i32 %kind, ptr %scratch, ptr %callee, ptr %chain) {
  %pool = icmp eq ptr %scratch, null
  br i1 %pool, label %take, label %in_place
take:
  %taken = call ptr @take(i32 %kind, ptr %callee, ptr %chain)
  br label %made
in_place:
  %written = call ptr @write_in_place(i32 %kind, ptr %scratch, ptr %callee, ptr %chain)
  br label %made
made:
  %handle = phi ptr [ %taken, %take ], [ %written, %in_place ]
  %refused = icmp eq ptr %handle, null
  br i1 %refused, label %restore, label %done
restore:
  ; Last, since anything before may change it.
  call void @restore_error()
  br label %done
done:
  ret ptr %handle
}

; Null if the system refuses; the thread's part says why.
define internal ptr @take(i32 %kind, ptr %callee, ptr %chain) {
  %local = call ptr @own_part()
  %none = icmp eq ptr %local, null
  br i1 %none, label %failed, label %part
part:
  %lists = getelementptr %local, ptr %local, i32 0, i32 0, i32 %kind
  %old = load ptr, ptr %lists
  %some = icmp ne ptr %old, null
  br i1 %some, label %pop, label %find
pop:
  %next_at = getelementptr %record, ptr %old, i32 0, i32 1
  %next = load ptr, ptr %next_at
  store ptr %next, ptr %lists
  br label %taken
find:
  %found = call ptr @find(ptr %local, i32 %kind)
  br label %taken
taken:
  %record = phi ptr [ %old, %pop ], [ %found, %find ]
  call void @done_with(ptr %local)
  %refused = icmp eq ptr %record, null
  br i1 %refused, label %failed, label %set
set:
  %host_at = getelementptr %record, ptr %record, i32 0, i32 7
  store ptr null, ptr %host_at
  %slot = load ptr, ptr %record
  %chain_at = getelementptr %slot, ptr %slot, i32 0, i32 $chain
  store ptr %chain, ptr %chain_at
  %callee_at = getelementptr %slot, ptr %slot, i32 0, i32 $callee
  store atomic ptr %callee, ptr %callee_at release, align $bytes
  ret ptr %record
failed:
  ret ptr null
}

; As `init` in the pool; what hosts left behind them by `longjmp` is freed first.
define internal ptr @init_for_host(i32 %kind, ptr %host, ptr %callee, ptr %chain) {
  %here = alloca i8
  %local = call ptr @own_part()
  %none = icmp eq ptr %local, null
  br i1 %none, label %failed, label %part
part:
  %state_at = getelementptr %local, ptr %local, i32 0, i32 4
  %state = load i32, ptr %state_at
  %own = icmp eq i32 %state, 1
  br i1 %own, label %leave, label %plain
plain:
  call void @done_with(ptr %local)
  %unhosted = call ptr @init(i32 %kind, ptr null, ptr %callee, ptr %chain)
  ret ptr %unhosted
leave:
  call void @leave_hosts(ptr %local, ptr %here)
  %record = call ptr @init(i32 %kind, ptr null, ptr %callee, ptr %chain)
  %refused = icmp eq ptr %record, null
  br i1 %refused, label %failed, label %enter
enter:
  %host_at = getelementptr %record, ptr %record, i32 0, i32 7
  store ptr %host, ptr %host_at
  %owner_at = getelementptr %record, ptr %record, i32 0, i32 8
  store ptr %local, ptr %owner_at
  %hosted_at = getelementptr %local, ptr %local, i32 0, i32 1
  %before = load ptr, ptr %hosted_at
  %next_at = getelementptr %record, ptr %record, i32 0, i32 1
  store ptr %before, ptr %next_at
  store ptr %record, ptr %hosted_at
  ret ptr %record
failed:
  ret ptr null
}

; Writes a trampoline into the caller's memory. Its handle is the address plus one.
define internal ptr @write_in_place(i32 %kind, ptr %memory, ptr %callee, ptr %chain) {
  %address = ptrtoint ptr %memory to $word
  %rest = and $word %address, $word_mask
  %aligned = icmp eq $word %rest, 0
  br i1 %aligned, label %write, label %refuse
refuse:
  call void @refuse(ptr @misaligned, $word $bytes, ptr @bytes, i32 0)
  ret ptr null
write:
  %code = getelementptr [2 x [$in_place_bytes x i8]], ptr @in_place, i32 0, i32 %kind
  call void @llvm.memcpy.p0.p0.$word(ptr %memory, ptr %code, $word $in_place_bytes, i1 false)
  %chain_at = getelementptr i8, ptr %memory, i32 $in_place_chain
  store ptr %chain, ptr %chain_at, align 1
  %callee_at = getelementptr i8, ptr %memory, i32 $in_place_callee
  %callee_address = ptrtoint ptr %callee to $word
  %after = add $word %address, $in_place_after
  %distance = sub $word %callee_address, %after
  %field = select i1 $in_place_relative, $word %distance, $word %callee_address
  store $word %field, ptr %callee_at, align 1
  %flushed = call i1 @flush(ptr %memory, $word $in_place_flush)
  %handle = getelementptr i8, ptr %memory, i32 1
  ret ptr %handle
}

define internal i1 @is_in_place(ptr %handle) {
  %address = ptrtoint ptr %handle to $word
  %rest = and $word %address, $word_mask
  %here = icmp eq $word %rest, 1
  ret i1 %here
}

; ---- Records ----

; Frees a trampoline by the call that returns to `site`.
define internal void @free_any(ptr %handle, ptr %site) {
  %slot = call ptr @slot_of(ptr %handle)
  %found = icmp ne ptr %slot, null
  br i1 %found, label %known, label %strange
known:
  %kind_at = getelementptr %record, ptr %handle, i32 0, i32 6
  %kind = load i16, ptr %kind_at
  %callee_at = getelementptr %slot, ptr %slot, i32 0, i32 $callee
  %callee = load ptr, ptr %callee_at
  %is_eax = icmp ne i16 %kind, 0
  %dead = select i1 %is_eax, ptr $dead_eax, ptr @dead
  %again = icmp eq ptr %callee, %dead
  br i1 %again, label %twice, label %poison
poison:
  %dead_at = getelementptr %record, ptr %handle, i32 0, i32 2
  store ptr %callee, ptr %dead_at
  %site_at = getelementptr %record, ptr %handle, i32 0, i32 3
  store ptr %site, ptr %site_at
  %chain_at = getelementptr %slot, ptr %slot, i32 0, i32 $chain
  store ptr %handle, ptr %chain_at
  store atomic ptr %dead, ptr %callee_at release, align $bytes
  %host_at = getelementptr %record, ptr %handle, i32 0, i32 7
  %host = load ptr, ptr %host_at
  %hosted = icmp ne ptr %host, null
  br i1 %hosted, label %slow, label %plain
plain:
  %local = $thread
  %state_at = getelementptr %local, ptr %local, i32 0, i32 4
  %state = load i32, ptr %state_at
  %own = icmp eq i32 %state, 1
  br i1 %own, label %append, label %slow
append:
  %lists = getelementptr %local, ptr %local, i32 0, i32 0, i16 %kind
  call void @append(ptr %lists, ptr %handle)
  ret void
slow:
  call void @free_slowly(ptr %handle)
  ret void
twice:
  call void @freed_twice(ptr %handle, ptr %site)
  unreachable
strange:
  %null = icmp eq ptr %handle, null
  br i1 %null, label %nothing, label %not_null
not_null:
  %here = call i1 @is_in_place(ptr %handle)
  br i1 %here, label %nothing, label %foreign
nothing:
  ret void
foreign:
  call void @no_trampoline(ptr @freed, ptr %handle, ptr %site)
  unreachable
}

; The slot of the trampoline with this handle, which comes from a caller; null if that is no trampoline.
define internal ptr @slot_of(ptr %handle) {
  %address = ptrtoint ptr %handle to $word
  %granule = lshr $word %address, 16
  %index = and $word %granule, 1023
  %list = getelementptr [1024 x ptr], ptr @table, i32 0, $word %index
  %first = load atomic ptr, ptr %list acquire, align $bytes
  br label %look
look:
  %part = phi ptr [ %first, %0 ], [ %next, %other ]
  %end = icmp eq ptr %part, null
  br i1 %end, label %none, label %compare
compare:
  %records = load $word, ptr %part
  %distance = sub $word %address, %records
  %in = icmp ult $word %distance, $records
  br i1 %in, label %inside, label %other
other:
  %next_at = getelementptr %part, ptr %part, i32 0, i32 1
  %next = load ptr, ptr %next_at
  br label %look
inside:
  %rest = and $word %distance, $record_mask
  %whole = icmp eq $word %rest, 0
  br i1 %whole, label %record, label %none
record:
  ; A record that was never used has no slot, or one that leads nowhere.
  %slot = load ptr, ptr %handle
  %has_slot = icmp ne ptr %slot, null
  br i1 %has_slot, label %check, label %none
check:
  %callee_at = getelementptr %slot, ptr %slot, i32 0, i32 $callee
  %callee = load atomic ptr, ptr %callee_at acquire, align $bytes
  %used = icmp ne ptr %callee, null
  br i1 %used, label %found, label %none
found:
  ret ptr %slot
none:
  ret ptr null
}

; Adds a block whose records begin at `first`; `room` is memory for as many parts as it may need.
define internal void @enter(ptr %first, ptr %room) {
  %start = ptrtoint ptr %first to $word
  %last = add $word %start, $last_record_byte
  %last_granule = lshr $word %last, 16
  %first_granule = lshr $word %start, 16
  br label %next
next:
  %granule = phi $word [ %first_granule, %0 ], [ %after, %done ]
  %part = phi ptr [ %room, %0 ], [ %part_after, %done ]
  %more = icmp ule $word %granule, %last_granule
  br i1 %more, label %one, label %end
one:
  store $word %start, ptr %part
  %next_at = getelementptr %part, ptr %part, i32 0, i32 1
  %index = and $word %granule, 1023
  %list = getelementptr [1024 x ptr], ptr @table, i32 0, $word %index
  %seen = load atomic ptr, ptr %list monotonic, align $bytes
  br label %try
try:
  %expected = phi ptr [ %seen, %one ], [ %other, %try ]
  store ptr %expected, ptr %next_at
  %result = cmpxchg ptr %list, ptr %expected, ptr %part release monotonic
  %other = extractvalue { ptr, i1 } %result, 0
  %entered = extractvalue { ptr, i1 } %result, 1
  br i1 %entered, label %done, label %try
done:
  %after = add $word %granule, 1
  %part_after = getelementptr %part, ptr %part, i32 1
  br label %next
end:
  ret void
}

define internal i1 @is_freed(ptr %record) {
  %slot = load ptr, ptr %record
  %callee_at = getelementptr %slot, ptr %slot, i32 0, i32 $callee
  %callee = load atomic ptr, ptr %callee_at acquire, align $bytes
  %c = icmp eq ptr %callee, @dead
  %eax = icmp eq ptr %callee, $dead_eax
  %freed = or i1 %c, %eax
  ret i1 %freed
}

; ---- The lists of a thread ----

; Puts a freed record at the queue's end.
define internal void @append(ptr %lists, ptr %record) {
  %next_at = getelementptr %record, ptr %record, i32 0, i32 1
  store ptr null, ptr %next_at
  %last_at = getelementptr %lists, ptr %lists, i32 0, i32 2
  %last = load ptr, ptr %last_at
  store ptr %record, ptr %last_at
  %empty = icmp eq ptr %last, null
  %first_at = getelementptr %lists, ptr %lists, i32 0, i32 1
  %last_next_at = getelementptr %record, ptr %last, i32 0, i32 1
  %place = select i1 %empty, ptr %first_at, ptr %last_next_at
  store ptr %record, ptr %place
  %count_at = getelementptr %lists, ptr %lists, i32 0, i32 3
  %before = load $word, ptr %count_at
  %count = add $word %before, 1
  store $word %count, ptr %count_at
  %full = icmp uge $word %count, 512
  br i1 %full, label %make_room, label %done
make_room:
  %kind_at = getelementptr %record, ptr %record, i32 0, i32 6
  %kind = load i16, ptr %kind_at
  %old = load ptr, ptr %lists
  call void @hand_over(i16 %kind, ptr %old, i16 0)
  call void @turn(ptr %lists)
  br label %done
done:
  ret void
}

; Makes the queue of freed trampolines the list of those to be used.
define internal void @turn(ptr %lists) {
  %first_at = getelementptr %lists, ptr %lists, i32 0, i32 1
  %first = load ptr, ptr %first_at
  store ptr %first, ptr %lists
  store ptr null, ptr %first_at
  %last_at = getelementptr %lists, ptr %lists, i32 0, i32 2
  store ptr null, ptr %last_at
  %count_at = getelementptr %lists, ptr %lists, i32 0, i32 3
  store $word 0, ptr %count_at
  ret void
}

; A record where no freed one is waiting: after 64 others were freed, else from another thread, else one freed just now,
; else of a new block. Null if the system refuses.
define internal ptr @find(ptr %local, i32 %kind) {
  %lists = getelementptr %local, ptr %local, i32 0, i32 0, i32 %kind
  %count_at = getelementptr %lists, ptr %lists, i32 0, i32 3
  %count = load $word, ptr %count_at
  %run_at = getelementptr %lists, ptr %lists, i32 0, i32 4
  %left_at = getelementptr %lists, ptr %lists, i32 0, i32 5
  %enough = icmp ugt $word %count, 64
  br i1 %enough, label %turn, label %look
look:
  %left = load $word, ptr %left_at
  %has_run = icmp ne $word %left, 0
  br i1 %has_run, label %use, label %ask
ask:
  %bundle = call ptr @get_bundle(i32 %kind)
  %got = icmp ne ptr %bundle, null
  br i1 %got, label %bundle_taken, label %none_there
bundle_taken:
  %bundle_run_at = getelementptr %record, ptr %bundle, i32 0, i32 5
  %bundle_run = load i16, ptr %bundle_run_at
  %is_list = icmp eq i16 %bundle_run, 0
  br i1 %is_list, label %list, label %run
list:
  store ptr %bundle, ptr %lists
  br label %use
run:
  %bundle_left = zext i16 %bundle_run to $word
  store ptr %bundle, ptr %run_at
  store $word %bundle_left, ptr %left_at
  br label %use
none_there:
  %some_freed = icmp ne $word %count, 0
  br i1 %some_freed, label %turn, label %map
map:
  %block = call ptr @map_block(i32 %kind)
  %refused = icmp eq ptr %block, null
  br i1 %refused, label %failed, label %mapped
mapped:
  store ptr %block, ptr %run_at
  store $word $count, ptr %left_at
  br label %use
turn:
  call void @turn(ptr %lists)
  br label %use
use:
  %old = load ptr, ptr %lists
  %some = icmp ne ptr %old, null
  br i1 %some, label %pop, label %next_of_run
pop:
  %next_at = getelementptr %record, ptr %old, i32 0, i32 1
  %next = load ptr, ptr %next_at
  store ptr %next, ptr %lists
  ret ptr %old
next_of_run:
  %record = load ptr, ptr %run_at
  %left_before = load $word, ptr %left_at
  %left_now = sub $word %left_before, 1
  store $word %left_now, ptr %left_at
  %last = icmp eq $word %left_now, 0
  br i1 %last, label %done, label %step
step:
  %after = getelementptr %record, ptr %record, i32 1
  %slot = load ptr, ptr %record
  %slot_after = getelementptr i8, ptr %slot, i32 $stride
  store ptr %slot_after, ptr %after
  %kind_after = getelementptr %record, ptr %after, i32 0, i32 6
  %kind_16 = trunc i32 %kind to i16
  store i16 %kind_16, ptr %kind_after
  store ptr %after, ptr %run_at
  br label %done
done:
  ret ptr %record
failed:
  ret ptr null
}

; Frees a poisoned record where the thread has no part, or the trampoline a host.
define internal void @free_slowly(ptr %record) {
  %kind_at = getelementptr %record, ptr %record, i32 0, i32 6
  %kind = load i16, ptr %kind_at
  %host_at = getelementptr %record, ptr %record, i32 0, i32 7
  %host = load ptr, ptr %host_at
  %owner_at = getelementptr %record, ptr %record, i32 0, i32 8
  %owner = load ptr, ptr %owner_at
  %plain = icmp eq ptr %host, null
  %local = call ptr @own_part()
  %none = icmp eq ptr %local, null
  br i1 %none, label %no_part, label %part
no_part:
  br i1 %plain, label %give, label %end
give:
  call void @hand_over(i16 %kind, ptr %record, i16 0)
  ret void
part:
  br i1 %plain, label %append, label %hosted
append:
  %lists = getelementptr %local, ptr %local, i32 0, i32 0, i16 %kind
  call void @append(ptr %lists, ptr %record)
  br label %done
hosted:
  ; The list of trampolines with hosts is its owner's, who looks which are freed.
  %own = icmp eq ptr %owner, %local
  br i1 %own, label %collect, label %done
collect:
  call void @collect_freed(ptr %local)
  br label %done
done:
  call void @done_with(ptr %local)
  ret void
end:
  ret void
}

; Takes the trampolines that were made last off the list of those with hosts, as long as they are freed.
define internal void @collect_freed(ptr %local) {
  %hosted_at = getelementptr %local, ptr %local, i32 0, i32 1
  br label %next
next:
  %record = load ptr, ptr %hosted_at
  %end = icmp eq ptr %record, null
  br i1 %end, label %done, label %look
look:
  %freed = call i1 @is_freed(ptr %record)
  br i1 %freed, label %take, label %done
take:
  %next_at = getelementptr %record, ptr %record, i32 0, i32 1
  %before = load ptr, ptr %next_at
  store ptr %before, ptr %hosted_at
  %kind_at = getelementptr %record, ptr %record, i32 0, i32 6
  %kind = load i16, ptr %kind_at
  %lists = getelementptr %local, ptr %local, i32 0, i32 0, i16 %kind
  call void @append(ptr %lists, ptr %record)
  br label %next
done:
  ret void
}

; Frees the trampolines whose hosts do not exist any more; the stack above the address `here` does. If that is null, the
; thread ends.
define internal void @leave_hosts(ptr %local, ptr %here) {
  %hosted_at = getelementptr %local, ptr %local, i32 0, i32 1
  %ends = icmp eq ptr %here, null
  br label %next
next:
  call void @collect_freed(ptr %local)
  %record = load ptr, ptr %hosted_at
  %end = icmp eq ptr %record, null
  br i1 %end, label %done, label %look
look:
  br i1 %ends, label %poison, label %ask
ask:
  %left = call i1 @is_left(ptr %local, ptr %record, ptr %here)
  br i1 %left, label %poison, label %done
poison:
  %slot = load ptr, ptr %record
  %callee_at = getelementptr %slot, ptr %slot, i32 0, i32 $callee
  %callee = load ptr, ptr %callee_at
  %dead_at = getelementptr %record, ptr %record, i32 0, i32 2
  store ptr %callee, ptr %dead_at
  %site_at = getelementptr %record, ptr %record, i32 0, i32 3
  store ptr inttoptr ($word 1 to ptr), ptr %site_at
  %chain_at = getelementptr %slot, ptr %slot, i32 0, i32 $chain
  store ptr %record, ptr %chain_at
  %kind_at = getelementptr %record, ptr %record, i32 0, i32 6
  %kind = load i16, ptr %kind_at
  %is_eax = icmp ne i16 %kind, 0
  %dead = select i1 %is_eax, ptr $dead_eax, ptr @dead
  store atomic ptr %dead, ptr %callee_at release, align $bytes
  br label %next
done:
  ret void
}

; Does the host of a trampoline not exist any more? Hosts on other stacks than the thread's own are not known.
define internal i1 @is_left(ptr %local, ptr %record, ptr %here) {
  %low_at = getelementptr %local, ptr %local, i32 0, i32 2
  %high_at = getelementptr %local, ptr %local, i32 0, i32 3
  %known = load $word, ptr %high_at
  %asked = icmp ne $word %known, 0
  br i1 %asked, label %compare, label %ask
ask:
  call void @stack(ptr %low_at, ptr %high_at)
  br label %compare
compare:
  %low = load $word, ptr %low_at
  %high = load $word, ptr %high_at
  %bytes = sub $word %high, %low
  %here_at = ptrtoint ptr %here to $word
  %here_in = sub $word %here_at, %low
  %here_inside = icmp ult $word %here_in, %bytes
  %variable_at = getelementptr %record, ptr %record, i32 0, i32 7
  %host = load ptr, ptr %variable_at
  %host_at = ptrtoint ptr %host to $word
  %host_in = sub $word %host_at, %low
  %host_inside = icmp ult $word %host_in, %bytes
  %both = and i1 %here_inside, %host_inside
  br i1 %both, label %inside, label %no
inside:
  %deeper = icmp ult $word %host_at, %here_at
  br i1 %deeper, label %yes, label %read
read:
  ; Others may use the memory of the variable now.
  %handle = load volatile ptr, ptr %host
  %other = icmp ne ptr %handle, %record
  ret i1 %other
yes:
  ret i1 true
no:
  ret i1 false
}

; Gives back everything that a thread has.
define internal void @give_back(ptr %local) {
  call void @leave_hosts(ptr %local, ptr null)
  br label %next
next:
  %kind = phi i16 [ 0, %0 ], [ %kind_after, %done ]
  %lists = getelementptr %local, ptr %local, i32 0, i32 0, i16 %kind
  %old = load ptr, ptr %lists
  call void @hand_over(i16 %kind, ptr %old, i16 0)
  call void @turn(ptr %lists)
  %freed = load ptr, ptr %lists
  store ptr null, ptr %lists
  call void @hand_over(i16 %kind, ptr %freed, i16 0)
  %left_at = getelementptr %lists, ptr %lists, i32 0, i32 5
  %left = load $word, ptr %left_at
  %some = icmp ne $word %left, 0
  br i1 %some, label %run, label %done
run:
  store $word 0, ptr %left_at
  %run_at = getelementptr %lists, ptr %lists, i32 0, i32 4
  %unused = load ptr, ptr %run_at
  %left_16 = trunc $word %left to i16
  call void @hand_over(i16 %kind, ptr %unused, i16 %left_16)
  br label %done
done:
  %kind_after = add i16 %kind, 1
  %more = icmp ult i16 %kind_after, 2
  br i1 %more, label %next, label %end
end:
  ret void
}

; ---- The depot ----

; Puts a list into the depot, or a run of this many records that were never used; null is no list.
define internal void @hand_over(i16 %kind, ptr %first, i16 %run) {
  %none = icmp eq ptr %first, null
  br i1 %none, label %done, label %put
put:
  %run_at = getelementptr %record, ptr %first, i32 0, i32 5
  store i16 %run, ptr %run_at
  %depot = getelementptr [2 x ptr], ptr @depot, i32 0, i16 %kind
  %bundle_at = getelementptr %record, ptr %first, i32 0, i32 4
  call void @lock_depot()
  %bundle = load ptr, ptr %depot
  store ptr %bundle, ptr %bundle_at
  store ptr %first, ptr %depot
  call void @unlock_depot()
  br label %done
done:
  ret void
}

; Takes a bundle out of the depot; null if there is none.
define internal ptr @get_bundle(i32 %kind) {
  %depot = getelementptr [2 x ptr], ptr @depot, i32 0, i32 %kind
  call void @lock_depot()
  %first = load ptr, ptr %depot
  %some = icmp ne ptr %first, null
  br i1 %some, label %take, label %done
take:
  %bundle_at = getelementptr %record, ptr %first, i32 0, i32 4
  %bundle = load ptr, ptr %bundle_at
  store ptr %bundle, ptr %depot
  br label %done
done:
  call void @unlock_depot()
  ret ptr %first
}

; ---- Blocks ----

; Maps a block: code, slots, records, parts for the table. Its first record stands for all. Null if the system refuses.
define internal ptr @map_block(i32 %kind) {
  %page = call $word @page()
  %rest = urem $word $unit, %page
  %fits = icmp eq $word %rest, 0
  br i1 %fits, label %map, label %page_too_large
page_too_large:
  call void @refuse(ptr @large_pages, $word %page, ptr @bytes, i32 0)
  ret ptr null
map:
  %block = call ptr @map($word $block_bytes)
  %refused = icmp eq ptr %block, null
  br i1 %refused, label %no_memory, label %fill
no_memory:
  %map_code = call i32 @last_error()
  call void @refuse(ptr @cannot_map, $word $block_bytes, ptr @bytes_for_trampolines, i32 %map_code)
  ret ptr null
fill:
  %form = getelementptr [2 x [$stride x i8]], ptr @stubs, i32 0, i32 %kind
  br label %stub
stub:
  %at = phi $word [ 0, %fill ], [ %at_after, %stub_done ]
  %place = getelementptr i8, ptr %block, $word %at
  call void @llvm.memcpy.p0.p0.$word(ptr %place, ptr %form, $word $stride, i1 false)
  br label %address
address:
  %index = phi i32 [ 0, %stub ], [ %index_after, %relocate ]
  %offset_at = getelementptr [3 x i32], ptr @absolutes, i32 0, i32 %index
  %offset = load i32, ptr %offset_at
  %no_more = icmp slt i32 %offset, 0
  br i1 %no_more, label %stub_done, label %relocate
relocate:
  %field = getelementptr i8, ptr %place, i32 %offset
  %relative = load $word, ptr %field, align 1
  %stub_address = ptrtoint ptr %place to $word
  %absolute = add $word %relative, %stub_address
  store $word %absolute, ptr %field, align 1
  %index_after = add i32 %index, 1
  br label %address
stub_done:
  %at_after = add $word %at, $stride
  %more = icmp ult $word %at_after, $unit
  br i1 %more, label %stub, label %protect
protect:
  %executable = call i1 @make_code(ptr %block, $word $unit)
  br i1 %executable, label %enter, label %no_code
no_code:
  %code = call i32 @last_error()
  call void @unmap(ptr %block, $word $block_bytes)
  call void @refuse(ptr @cannot_make, $word $unit, ptr @bytes_executable, i32 %code)
  ret ptr null
enter:
  %slots = getelementptr i8, ptr %block, $word $unit
  %record = getelementptr i8, ptr %slots, $word $unit
  store ptr %slots, ptr %record
  %kind_at = getelementptr %record, ptr %record, i32 0, i32 6
  %kind_16 = trunc i32 %kind to i16
  store i16 %kind_16, ptr %kind_at
  %room = getelementptr i8, ptr %record, $word $records
  call void @enter(ptr %record, ptr %room)
  ret ptr %record
}

declare void @llvm.memcpy.p0.p0.$word(ptr, ptr, $word, i1)
declare ptr @llvm.returnaddress(i32)
