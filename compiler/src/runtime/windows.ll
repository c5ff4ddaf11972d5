
; ---- Windows, by kernel32.dll ----

@key = internal global i32 -1
; Slim locks, for which zeros are unlocked.
@once = internal global ptr null
@depot_lock = internal global ptr null
; The part of threads that have none: it is only read.
@nobody = internal global %local zeroinitializer

@system_error = text "system error "

; The calling thread's part, or one that is empty and only read.
define internal ptr @known_part() {
  %key = load atomic i32, ptr @key acquire, align 4
  %found = call $stdcall ptr @FlsGetValue(i32 %key)
  %number = ptrtoint ptr %found to $word
  %real = icmp ugt $word %number, 1
  %part = select i1 %real, ptr %found, ptr @nobody
  ret ptr %part
}

; The calling thread's part; null if the system does not provide what it needs. What is called last is `done_with`.
define internal ptr @own_part() {
  %known_key = load atomic i32, ptr @key acquire, align 4
  %has_key = icmp ne i32 %known_key, -1
  br i1 %has_key, label %look, label %make_key
make_key:
  call $stdcall void @AcquireSRWLockExclusive(ptr @once)
  %seen = load i32, ptr @key
  %still_none = icmp eq i32 %seen, -1
  br i1 %still_none, label %allocate_key, label %key_is_made
allocate_key:
  %new_key = call $stdcall i32 @FlsAlloc(ptr @thread_ends)
  store atomic i32 %new_key, ptr @key release, align 4
  br label %key_is_made
key_is_made:
  call $stdcall void @ReleaseSRWLockExclusive(ptr @once)
  %made = load i32, ptr @key
  %no_key = icmp eq i32 %made, -1
  br i1 %no_key, label %failed, label %look
look:
  %key = load i32, ptr @key
  %found = call $stdcall ptr @FlsGetValue(i32 %key)
  %number = ptrtoint ptr %found to $word
  %real = icmp ugt $word %number, 1
  br i1 %real, label %done, label %make
done:
  ret ptr %found
make:
  ; 1 stands for the part of a thread that ends: it gets another for this call.
  %ends = icmp eq $word %number, 1
  %heap = call $stdcall ptr @GetProcessHeap()
  %part = call $stdcall ptr @HeapAlloc(ptr %heap, i32 8, $word 512)
  %no_memory = icmp eq ptr %part, null
  br i1 %no_memory, label %failed, label %enter
enter:
  %state = select i1 %ends, i32 2, i32 1
  %state_at = getelementptr %local, ptr %part, i32 0, i32 4
  store i32 %state, ptr %state_at
  br i1 %ends, label %temporary, label %keep
temporary:
  ret ptr %part
keep:
  %kept = call $stdcall i32 @FlsSetValue(i32 %key, ptr %part)
  %is_kept = icmp ne i32 %kept, 0
  br i1 %is_kept, label %new, label %release
new:
  ret ptr %part
release:
  %released = call $stdcall i32 @HeapFree(ptr %heap, i32 0, ptr %part)
  br label %failed
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
  %heap = call $stdcall ptr @GetProcessHeap()
  %released = call $stdcall i32 @HeapFree(ptr %heap, i32 0, ptr %local)
  br label %end
end:
  ret void
}

define internal $stdcall void @thread_ends(ptr %local) {
  %number = ptrtoint ptr %local to $word
  %real = icmp ugt $word %number, 1
  br i1 %real, label %give, label %mark
give:
  %state_at = getelementptr %local, ptr %local, i32 0, i32 4
  store i32 2, ptr %state_at
  call void @done_with(ptr %local)
  br label %mark
mark:
  %key = load i32, ptr @key
  %marked = call $stdcall i32 @FlsSetValue(i32 %key, ptr inttoptr ($word 1 to ptr))
  ret void
}

define internal void @lock_depot() {
  call $stdcall void @AcquireSRWLockExclusive(ptr @depot_lock)
  ret void
}

define internal void @unlock_depot() {
  call $stdcall void @ReleaseSRWLockExclusive(ptr @depot_lock)
  ret void
}

; MEM_COMMIT | MEM_RESERVE, PAGE_READWRITE.
define internal ptr @map($word %bytes) {
  %at = call $stdcall ptr @VirtualAlloc(ptr null, $word %bytes, i32 12288, i32 4)
  ret ptr %at
}

; PAGE_EXECUTE_READ.
define internal i1 @make_code(ptr %at, $word %bytes) {
  %old = alloca i32
  %protected = call $stdcall i32 @VirtualProtect(ptr %at, $word %bytes, i32 32, ptr %old)
  %done = icmp ne i32 %protected, 0
  br i1 %done, label %flush, label %failed
flush:
  %flushed = call i1 @flush(ptr %at, $word %bytes)
  ret i1 %flushed
failed:
  ret i1 false
}

; Makes instruction caches see the code that was written to these bytes.
define internal i1 @flush(ptr %at, $word %bytes) {
  %process = call $stdcall ptr @GetCurrentProcess()
  %flushed = call $stdcall i32 @FlushInstructionCache(ptr %process, ptr %at, $word %bytes)
  %done = icmp ne i32 %flushed, 0
  ret i1 %done
}

; MEM_RELEASE.
define internal void @unmap(ptr %at, $word %bytes) {
  %freed = call $stdcall i32 @VirtualFree(ptr %at, $word 0, i32 32768)
  ret void
}

; 4 KiB on every processor that Windows runs on.
define internal $word @page() {
  ret $word 4096
}

define internal i32 @last_error() {
  %code = call $stdcall i32 @GetLastError()
  ret i32 %code
}

define internal void @set_last_error(i32 %code) {
  call $stdcall void @SetLastError(i32 %code)
  ret void
}

define internal void @explain(ptr %line, i32 %code) {
  call void @put(ptr %line, ptr @system_error)
  %number = $code_number
  call void @put_number(ptr %line, $word %number, $word 10)
  ret void
}

; Nothing more is known about an address here.
define internal void @put_address(ptr %line, ptr %address) {
  call void @put_pointer(ptr %line, ptr %address)
  ret void
}

define internal void @stack(ptr %low, ptr %high) {
  call $stdcall void @GetCurrentThreadStackLimits(ptr %low, ptr %high)
  ret void
}

; STD_ERROR_HANDLE; the status is STATUS_STACK_BUFFER_OVERRUN, as of other programs that end themselves.
define internal void @end_process(ptr %text, $word %bytes) {
  %written = alloca i32
  %file = call $stdcall ptr @GetStdHandle(i32 -12)
  %done = call $stdcall i32 @WriteFile(ptr %file, ptr %text, $word %bytes, ptr %written, ptr null)
  %process = call $stdcall ptr @GetCurrentProcess()
  %ended = call $stdcall i32 @TerminateProcess(ptr %process, i32 -1073740791)
  unreachable
}

declare $stdcall ptr @VirtualAlloc(ptr, $word, i32, i32)
declare $stdcall i32 @VirtualProtect(ptr, $word, i32, ptr)
declare $stdcall i32 @VirtualFree(ptr, $word, i32)
declare $stdcall i32 @FlushInstructionCache(ptr, ptr, $word)
declare $stdcall ptr @GetCurrentProcess()
declare $stdcall i32 @TerminateProcess(ptr, i32)
declare $stdcall ptr @GetProcessHeap()
declare $stdcall ptr @HeapAlloc(ptr, i32, $word)
declare $stdcall i32 @HeapFree(ptr, i32, ptr)
declare $stdcall i32 @GetLastError()
declare $stdcall void @SetLastError(i32)
declare $stdcall ptr @GetStdHandle(i32)
; Of the number of bytes, the system reads 32 bits.
declare $stdcall i32 @WriteFile(ptr, ptr, $word, ptr, ptr)
declare $stdcall void @AcquireSRWLockExclusive(ptr)
declare $stdcall void @ReleaseSRWLockExclusive(ptr)
declare $stdcall i32 @FlsAlloc(ptr)
declare $stdcall ptr @FlsGetValue(i32)
declare $stdcall i32 @FlsSetValue(i32, ptr)
declare $stdcall void @GetCurrentThreadStackLimits(ptr, ptr)
