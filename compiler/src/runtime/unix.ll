
; ---- Linux, by the C library ----

; The part of the pool that a thread owns. A shared library with it still can be opened at any time: there is some room.
@thread = internal thread_local(initialexec) global %local zeroinitializer
@key = internal global i32 0
@key_made = internal global i1 false
; Mutexes of the C library, for which zeros are unlocked.
@once = internal global [64 x i8] zeroinitializer, align 16
@depot_lock = internal global [64 x i8] zeroinitializer, align 16

@errno = text " (errno "

; The calling thread's part; null if the system does not provide what it needs. What is called last is `done_with`.
define internal ptr @own_part() {
  %local = call ptr @llvm.threadlocal.address.p0(ptr @thread)
  %state_at = getelementptr %local, ptr %local, i32 0, i32 4
  %state = load i32, ptr %state_at
  %new = icmp eq i32 %state, 0
  br i1 %new, label %make, label %done
make:
  %locked = call i32 @pthread_mutex_lock(ptr @once)
  %made = load i1, ptr @key_made
  br i1 %made, label %ready, label %prepare
prepare:
  ; Without these, the child of a fork might wait for ever.
  %fork_code = call i32 @pthread_atfork(ptr @lock_depot, ptr @unlock_depot, ptr @unlock_depot)
  %fork_ready = icmp eq i32 %fork_code, 0
  br i1 %fork_ready, label %make_key, label %not_ready
make_key:
  %key_code = call i32 @pthread_key_create(ptr @key, ptr @thread_ends)
  %key_ready = icmp eq i32 %key_code, 0
  br i1 %key_ready, label %key_is_made, label %not_ready
key_is_made:
  store i1 true, ptr @key_made
  br label %ready
not_ready:
  %unlocked_again = call i32 @pthread_mutex_unlock(ptr @once)
  ret ptr null
ready:
  %unlocked = call i32 @pthread_mutex_unlock(ptr @once)
  %key = load i32, ptr @key
  %set_code = call i32 @pthread_setspecific(i32 %key, ptr %local)
  %set = icmp eq i32 %set_code, 0
  br i1 %set, label %begin, label %failed
begin:
  store i32 1, ptr %state_at
  br label %done
done:
  ret ptr %local
failed:
  ret ptr null
}

define internal void @done_with(ptr %local) {
  %state_at = getelementptr %local, ptr %local, i32 0, i32 4
  %state = load i32, ptr %state_at
  %ends = icmp eq i32 %state, 2
  br i1 %ends, label %give, label %end
give:
  call void @give_back(ptr %local)
  br label %end
end:
  ret void
}

define internal void @thread_ends(ptr %local) {
  %state_at = getelementptr %local, ptr %local, i32 0, i32 4
  store i32 2, ptr %state_at
  call void @give_back(ptr %local)
  ret void
}

define internal void @lock_depot() {
  %code = call i32 @pthread_mutex_lock(ptr @depot_lock)
  ret void
}

define internal void @unlock_depot() {
  %code = call i32 @pthread_mutex_unlock(ptr @depot_lock)
  ret void
}

; PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS. The last argument has one or two words, depending on the C library.
define internal ptr @map($word %bytes) {
  %at = call ptr @mmap(ptr null, $word %bytes, i32 3, i32 34, i32 -1, $word 0, $word 0, $word 0)
  %failed = icmp eq ptr %at, inttoptr ($word -1 to ptr)
  %found = select i1 %failed, ptr null, ptr %at
  ret ptr %found
}

; PROT_READ | PROT_EXEC.
define internal i1 @make_code(ptr %at, $word %bytes) {
  %code = call i32 @mprotect(ptr %at, $word %bytes, i32 5)
  %done = icmp eq i32 %code, 0
  br i1 %done, label %flush, label %end
flush:
  %flushed = call i1 @flush(ptr %at, $word %bytes)
  br label %end
end:
  ret i1 %done
}

define internal void @unmap(ptr %at, $word %bytes) {
  %code = call i32 @munmap(ptr %at, $word %bytes)
  ret void
}

; _SC_PAGESIZE.
define internal $word @page() {
  %bytes = call $word @sysconf(i32 30)
  ret $word %bytes
}

define internal i32 @last_error() {
  %at = call ptr @__errno_location()
  %code = load i32, ptr %at
  ret i32 %code
}

define internal void @set_last_error(i32 %code) {
  %at = call ptr @__errno_location()
  store i32 %code, ptr %at
  ret void
}

define internal void @explain(ptr %line, i32 %code) {
  %text = call ptr @strerror(i32 %code)
  call void @put(ptr %line, ptr %text)
  call void @put(ptr %line, ptr @errno)
  %number = $code_number
  call void @put_number(ptr %line, $word %number, $word 10)
  call void @put(ptr %line, ptr @close)
  ret void
}

; An address, with its file, and the function that begins at or before it, if they are known.
define internal void @put_address(ptr %line, ptr %address) {
  %found = alloca { ptr, ptr, ptr, ptr }
  call void @put_pointer(ptr %line, ptr %address)
  %known = call i32 @dladdr(ptr %address, ptr %found)
  %file = load ptr, ptr %found
  %has_file = icmp ne ptr %file, null
  %is_known = icmp ne i32 %known, 0
  %both = select i1 %is_known, i1 %has_file, i1 false
  br i1 %both, label %say_file, label %end
say_file:
  call void @put(ptr %line, ptr @open)
  call void @put(ptr %line, ptr %file)
  call void @put(ptr %line, ptr @plus)
  %base_at = getelementptr { ptr, ptr, ptr, ptr }, ptr %found, i32 0, i32 1
  %base = load $word, ptr %base_at
  %number = ptrtoint ptr %address to $word
  %distance = sub $word %number, %base
  call void @put_number(ptr %line, $word %distance, $word 16)
  %name_at = getelementptr { ptr, ptr, ptr, ptr }, ptr %found, i32 0, i32 2
  %name = load ptr, ptr %name_at
  %has_name = icmp ne ptr %name, null
  br i1 %has_name, label %say_name, label %close
say_name:
  call void @put(ptr %line, ptr @comma)
  call void @put(ptr %line, ptr %name)
  br label %close
close:
  call void @put(ptr %line, ptr @close)
  br label %end
end:
  ret void
}

; The calling thread's own stack: its lowest address, and the one after its highest, or twice 1 if it is not known.
define internal void @stack(ptr %low, ptr %high) {
  %attributes = alloca [64 x i8], align 16
  %bytes_at = alloca $word
  store $word 1, ptr %low
  store $word 1, ptr %high
  %self = call $word @pthread_self()
  %code = call i32 @pthread_getattr_np($word %self, ptr %attributes)
  %known = icmp eq i32 %code, 0
  br i1 %known, label %ask, label %end
ask:
  %stack_code = call i32 @pthread_attr_getstack(ptr %attributes, ptr %low, ptr %bytes_at)
  %destroyed = call i32 @pthread_attr_destroy(ptr %attributes)
  %found = icmp eq i32 %stack_code, 0
  br i1 %found, label %add, label %end
add:
  %start = load $word, ptr %low
  %bytes = load $word, ptr %bytes_at
  %after = add $word %start, %bytes
  store $word %after, ptr %high
  br label %end
end:
  ret void
}

define internal void @end_process(ptr %text, $word %bytes) {
  br label %next
next:
  %at = phi ptr [ %text, %0 ], [ %at_after, %some ]
  %left = phi $word [ %bytes, %0 ], [ %left_after, %some ]
  %done = icmp eq $word %left, 0
  br i1 %done, label %end, label %write
write:
  %written = call $word @write(i32 2, ptr %at, $word %left)
  ; If not even this is possible, there is no other way to report it.
  %progress = icmp sgt $word %written, 0
  br i1 %progress, label %some, label %end
some:
  %at_after = getelementptr i8, ptr %at, $word %written
  %left_after = sub $word %left, %written
  br label %next
end:
  call void @abort()
  unreachable
}

declare ptr @llvm.threadlocal.address.p0(ptr)
declare i32 @pthread_mutex_lock(ptr)
declare i32 @pthread_mutex_unlock(ptr)
declare i32 @pthread_atfork(ptr, ptr, ptr)
declare i32 @pthread_key_create(ptr, ptr)
declare i32 @pthread_setspecific(i32, ptr)
declare $word @pthread_self()
declare i32 @pthread_getattr_np($word, ptr)
declare i32 @pthread_attr_getstack(ptr, ptr, ptr)
declare i32 @pthread_attr_destroy(ptr)
declare ptr @mmap(ptr, $word, i32, i32, i32, $word, $word, $word)
declare i32 @mprotect(ptr, $word, i32)
declare i32 @munmap(ptr, $word)
declare $word @sysconf(i32)
declare ptr @__errno_location()
declare ptr @strerror(i32)
declare i32 @dladdr(ptr, ptr)
declare $word @write(i32, ptr, $word)
declare void @abort()
