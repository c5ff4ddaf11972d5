//! Programs without a system: on boards with Cortex-M3, M4 and M33 by `qemu-system-arm`, and for version 6 with floating point, where the
//! emulator is as near as there is. The test makes their vector table, startup code and linker script. Units by Gusset are mixed with
//! clang's, and what they print is what clang's alone print.

use std::path::{Path, PathBuf};
use std::process::Command;

use gusset_tests::build::{Level, Unit, by_clang, ir};
use gusset_tests::parallel;
use gusset_tests::tools::{Failure, gusset, limited, root, run, same_lines, succeed, work_folder};

/// How many programs `bare_metal.c` has.
const PROGRAMS: usize = 20;

struct Board {
    name: &'static str,
    triple: &'static str,
    /// The processor, for clang.
    cpu: &'static str,
    /// Where code and data are; nowhere in particular if a system loads the program.
    memory: Option<[u32; 2]>,
    /// The compiler whose library of functions for what processors lack is good for it, too.
    library: &'static str,
}

const M3: Board = Board {
    name: "mps2-an385",
    triple: "thumbv7m-none-eabi",
    cpu: "cortex-m3",
    memory: Some([0, 0x2000_0000]),
    library: "arm-linux-gnueabihf-gcc",
};
const M4: Board = Board { name: "mps2-an386", triple: "thumbv7em-none-eabihf", cpu: "cortex-m4", ..M3 };
const M33: Board = Board {
    name: "mps2-an505",
    triple: "thumbv8m.main-none-eabihf",
    cpu: "cortex-m33",
    memory: Some([0x1000_0000, 0x3800_0000]),
    ..M3
};
const V6: Board = Board {
    name: "arm1176",
    triple: "armv6-none-eabihf",
    cpu: "arm1176jzf-s",
    memory: None,
    library: "arm-linux-gnueabi-gcc",
};

/// The vector table and what stands after it: floating point is switched on, data is copied to where it belongs, and the result of
/// `main` ends the program, by the emulator's services.
const START: &str = "
    .syntax unified
    .thumb
    .section .vectors,\"a\"
    .word stack_top
    .word reset
    .rept 12
    .word failed
    .endr
    .word pend_handler
    .word failed
    .text
    .global reset
    .thumb_func
reset:
    ldr r0, =0xe000ed88
    ldr r1, [r0]
    orr r1, r1, #0xf00000
    str r1, [r0]
    dsb
    isb
    ldr r0, =data_start
    ldr r1, =data_end
    ldr r2, =data_load
1:  cmp r0, r1
    itt lo
    ldrlo r3, [r2], #4
    strlo r3, [r0], #4
    blo 1b
    ldr r0, =bss_start
    ldr r1, =bss_end
    movs r2, #0
2:  cmp r0, r1
    it lo
    strlo r2, [r0], #4
    blo 2b
    bl main
exit:
    ldr r1, =0x20026
    push {r1, r2}
    str r0, [sp, #4]
    mov r1, sp
    movs r0, #0x20
    bkpt #0xab
    .thumb_func
failed:
    movs r0, #99
    b exit
    .global write_text
    .type write_text, %function
    .thumb_func
write_text:
    mov r1, r0
    movs r0, #4
    bkpt #0xab
    bx lr
";

/// The same by system calls.
const START_USER: &str = "
    .syntax unified
    .arm
    .text
    .global _start
_start:
    bl main
    mov r7, #1
    svc #0
    .global write_text
    .type write_text, %function
write_text:
    push {r7, lr}
    mov r1, r0
    mov r2, #0
1:  ldrb r3, [r1, r2]
    cmp r3, #0
    addne r2, r2, #1
    bne 1b
    mov r0, #1
    mov r7, #4
    svc #0
    pop {r7, pc}
";

const SCRIPT: &str = "
ENTRY(reset)
SECTIONS {
    . = CODE;
    .text : { KEEP(*(.vectors)) *(.text*) *(.rodata*) }
    .ARM.exidx : { *(.ARM.exidx*) }
    data_load = .;
    . = DATA;
    .data : AT(data_load) { data_start = .; *(.data*) . = ALIGN(4); data_end = .; }
    .bss : { bss_start = .; *(.bss*) *(COMMON) . = ALIGN(4); bss_end = .; }
    stack_top = DATA + 0x40000;
}
";

impl Board {
    fn unit(&self, program: usize, part: u32) -> Unit {
        let target = format!("--target={}", self.triple);
        let which = [format!("-DPROGRAM={program}"), format!("-DPART={part}")];
        let mut flags = vec![target, format!("-mcpu={}", self.cpu), "-ffreestanding".into()];
        flags.extend(which);
        Unit { source: root().join("tests/programs/bare_metal.c"), flags }
    }

    /// What all of its programs are linked with.
    fn basics(&self, folder: &Path) -> Result<Vec<PathBuf>, Failure> {
        let path = |name: &str| folder.join(name);
        std::fs::write(path("start.s"), if self.memory.is_some() { START } else { START_USER })?;
        std::fs::write(path("script.ld"), SCRIPT)?;
        let start = by_clang(&Unit { source: path("start.s"), ..self.unit(0, 0) }, &[])?;
        let found = succeed(limited(10, self.library).arg("-print-libgcc-file-name"))?.text();
        // How its functions call does not matter: they take core registers alone.
        let mut command = limited(30, "llvm-objcopy-19");
        succeed(command.args(["-R", ".ARM.attributes", found.trim()]).arg(path("libgcc.a")))?;
        Ok(vec![start, by_clang(&self.unit(0, 0), &["-O1"])?, path("libgcc.a")])
    }

    /// Links a program and gives what it prints.
    fn output(&self, folder: &Path, name: &str, objects: &[&PathBuf]) -> Result<String, Failure> {
        let program = folder.join(name);
        let mut linker = limited(30, "ld.lld-19");
        if let Some([code, data]) = self.memory {
            linker.arg("-T").arg(folder.join("script.ld"));
            linker.arg(format!("--defsym=CODE={code}")).arg(format!("--defsym=DATA={data}"));
        }
        succeed(linker.args(objects).arg("-o").arg(&program))?;
        let mut command: Command;
        if self.memory.is_some() {
            command = limited(20, "qemu-system-arm");
            command.args(["-M", self.name, "-display", "none", "-monitor", "none", "-serial", "none"]);
            command.args(["-chardev", "stdio,id=c", "-semihosting-config", "enable=on,target=native,chardev=c"]);
            command.arg("-kernel");
        } else {
            command = limited(20, "qemu-arm");
            command.args(["-cpu", self.name]);
        }
        let outcome = run(command.arg(&program))?;
        if outcome.code != 42 {
            return Err(Failure::new(format!("exit code {} from {}", outcome.code, program.display())));
        }
        Ok(outcome.text())
    }

    fn program(&self, folder: &Path, basics: &[PathBuf], k: usize) -> Result<(), Failure> {
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for part in [1, 2] {
            let unit = self.unit(k, part);
            let level = [Level::O0, Level::O1, Level::O2][(k + self.cpu.len()) % 3];
            let object = folder.join(format!("{k}-{part}.o"));
            let mut command = limited(60, gusset()?);
            command.args(["compile", "--verify", "--cpu", self.cpu]).arg(ir(&unit, level, &[])?);
            succeed(command.arg("-o").arg(&object))?;
            ours.push(object);
            theirs.push(by_clang(&unit, &["-O1"])?);
        }
        let output = |name: &str, a: &PathBuf, b: &PathBuf| {
            let all: Vec<_> = [a, b].into_iter().chain(basics).collect();
            self.output(folder, &format!("{k}-{name}"), &all)
        };
        let expected = output("clang", &theirs[0], &theirs[1])?;
        same_lines(&expected, &output("gusset", &ours[0], &ours[1])?)?;
        let (a, b) = if k.is_multiple_of(2) { (&ours[0], &theirs[1]) } else { (&theirs[0], &ours[1]) };
        same_lines(&expected, &output("mixed", a, b)?)
    }

    fn check(&self) -> Result<(), Failure> {
        let folder = work_folder(&format!("bare_metal/{}", self.name));
        let basics = self.basics(&folder)?;
        let results = parallel::map(PROGRAMS, |k| {
            self.program(&folder, &basics, k + 1).map_err(|e| e.at(format!("program {} on {}", k + 1, self.cpu)))
        });
        results.into_iter().collect()
    }
}

#[test]
fn on_cortex_m3() -> Result<(), Failure> {
    M3.check()
}

#[test]
fn on_cortex_m4() -> Result<(), Failure> {
    M4.check()
}

#[test]
fn on_cortex_m33() -> Result<(), Failure> {
    M33.check()
}

#[test]
fn on_version_6() -> Result<(), Failure> {
    V6.check()
}
