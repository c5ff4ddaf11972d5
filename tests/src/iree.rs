//! IREE's stock tools and its runtime for Python, as the wheels bring them that `scripts/setup` installs.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use crate::tools::{Failure, cc, gusset, left_out, limited, succeed, unpacked, work_folder};

/// How long one run of a tool may take, in seconds. None takes more than a few.
const LIMIT: u32 = 60;

/// One version of IREE: an environment of Python's with its wheels in it.
pub struct Iree {
    folder: PathBuf,
    /// Where the tools of the runtime are. The commands in `bin` start Python first, which takes ten times as long.
    runtime: PathBuf,
    compiler: Option<PathBuf>,
}

/// The version that the tests are written for, or that in `GUSSET_IREE`; none where it is missing, which a line on standard error
/// says.
///
/// # Panics
/// It is missing, and `CI` is `true`.
pub fn stock() -> Option<&'static Iree> {
    static STOCK: OnceLock<Option<Iree>> = OnceLock::new();
    STOCK
        .get_or_init(|| {
            if !cfg!(target_arch = "x86_64") {
                eprintln!("modules for IREE are tested on x86-64 alone");
                return None;
            }
            let given = unpacked("GUSSET_IREE", "iree-3.13.0");
            match Iree::at(&given) {
                Ok(iree) => Some(iree),
                Err(e) => {
                    left_out(&e.to_string()).unwrap_or_else(|e| panic!("{e}"));
                    None
                }
            }
        })
        .as_ref()
}

impl Iree {
    /// The version in this environment of Python's.
    ///
    /// # Errors
    /// There is no runtime in it.
    pub fn at(folder: &Path) -> Result<Iree, Failure> {
        let packages = packages(folder).map(|packages| packages.join("iree"));
        let has = |within: &str, tool: &str| {
            let place = packages.as_ref()?.join(within);
            place.join(tool).exists().then_some(place)
        };
        let missing = || Failure::new(format!("no IREE in {}: run scripts/setup", folder.display()));
        let runtime = has("_runtime_libs", "iree-run-module").ok_or_else(missing)?;
        let compiler = has("compiler/_mlir_libs", "iree-compile");
        Ok(Iree { folder: folder.to_path_buf(), runtime, compiler })
    }

    /// Its version: 3 and 13. None where the wheel does not say.
    pub fn version(&self) -> Option<(u32, u32)> {
        let wheels = std::fs::read_dir(packages(&self.folder)?).ok()?;
        let name = |entry: std::io::Result<std::fs::DirEntry>| entry.ok()?.file_name().into_string().ok();
        wheels.filter_map(name).find_map(|name| {
            let mut numbers = name.strip_prefix("iree_base_runtime-")?.split('.').map_while(|part| part.parse().ok());
            Some((numbers.next()?, numbers.next()?))
        })
    }

    /// `iree-run-module`, which runs one function of a module.
    pub fn run_module(&self) -> Command {
        limited(LIMIT, self.runtime.join("iree-run-module"))
    }

    /// `iree-dump-module`, which shows a compiled module.
    pub fn dump_module(&self) -> Command {
        limited(LIMIT, self.runtime.join("iree-dump-module"))
    }

    /// `iree-benchmark-module`, which calls one function of a module again and again.
    pub fn benchmark_module(&self) -> Command {
        limited(LIMIT, self.runtime.join("iree-benchmark-module"))
    }

    /// `iree-benchmark-executable`, which runs what a device runs.
    pub fn benchmark_executable(&self) -> Command {
        limited(LIMIT, self.runtime.join("iree-benchmark-executable"))
    }

    /// `iree-compile` for this machine, as any processor of its kind, a device called `cpu`.
    ///
    /// # Errors
    /// The environment has the runtime alone.
    pub fn compile(&self) -> Result<Command, Failure> {
        self.compile_for("generic")
    }

    /// The same for a processor of this name.
    ///
    /// # Errors
    /// The environment has the runtime alone.
    pub fn compile_for(&self, processor: &str) -> Result<Command, Failure> {
        let missing = || Failure::new(format!("no iree-compile in {}", self.folder.display()));
        let mut command = limited(LIMIT, self.compiler.as_ref().ok_or_else(missing)?.join("iree-compile"));
        command.args(["--iree-hal-target-device=cpu=local", "--iree-hal-local-target-device-backends=llvm-cpu"]);
        command.arg(format!("--iree-llvmcpu-target-cpu={processor}"));
        Ok(command)
    }

    /// Where its commands are, and Python.
    pub fn commands(&self) -> PathBuf {
        self.folder.join("bin")
    }

    /// Python with `iree.runtime` and numpy.
    pub fn python(&self) -> Command {
        limited(LIMIT, self.commands().join("python3"))
    }
}

/// Where an environment of Python's has its packages.
fn packages(folder: &Path) -> Option<PathBuf> {
    let versions = std::fs::read_dir(folder.join("lib")).ok()?;
    versions.filter_map(|version| Some(version.ok()?.path().join("site-packages"))).find(|packages| packages.is_dir())
}

/// A shared object of this module, made by Gusset of a file of MLIR and linked; `options` are for `gusset compile`. It has the
/// name of the file in a folder of `test`'s.
///
/// # Errors
/// What Gusset or the linker says.
pub fn shared_object(test: &str, file: &Path, module: &str, options: &[&str]) -> Result<PathBuf, Failure> {
    let stem = file.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
    let object = work_folder("iree").join(format!("{test}-{stem}.o"));
    let library = object.with_extension("so");
    let mut command = limited(LIMIT, gusset()?);
    command.arg("compile").arg(file).args(["--iree-module", module]).args(options).arg("-o").arg(&object);
    succeed(&mut command)?;
    succeed(limited(LIMIT, cc()).arg("-shared").arg(&object).arg("-o").arg(&library))?;
    Ok(library)
}
