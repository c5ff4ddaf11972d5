; What no code is made for: vectors that are made lane by lane, assembly.
@lanes = global <4 x i32> <i32 1, i32 undef, i32 poison, i32 -4>
@pointers = global <2 x ptr> <ptr @lanes, ptr null>

define i32 @assembly(i32 %n, ptr %p) {
  %1 = call i32 asm sideeffect "movl $1, $0", "=r,r,~{memory}"(i32 %n)
  %2 = call i32 asm inteldialect "mov $0, $1", "=r,*m"(ptr elementtype(i32) %p)
  %3 = add i32 %1, %2
  ret i32 %3
}
