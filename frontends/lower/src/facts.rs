//! What the functions of a module share: the target, the module's flags, and the functions that trampolines need.

use std::collections::HashMap;

use gusset_abi::features::{CodeRequests, Hardening};
use gusset_abi::{AbiTarget, Arch, Convention, Env, Isa, Os, Role};
use gusset_codegen::ir::{
    FramePointer, FunctionAttrs, Linkage, Module, Personality, ReturnSigning, StackProtector, Symbol, SymbolId,
    SymbolKind, sleds,
};
use gusset_program::{FnAttrs, ParamAttrs, Request, TypeId, Values};

use crate::features::{self, NotDone};

/// What is asked of all functions of a module, besides what their attributes say.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FunctionDefaults {
    /// The frame pointer of functions that say nothing about it.
    pub frame_pointer: FramePointer,
    /// Every function aligns its stack itself.
    pub realign_stack: bool,
    /// No call is a jump, unless the program requires it.
    pub no_tail_calls: bool,
    /// What they do against speculative execution.
    pub hardening: Hardening,
    /// `fastcc` is `tailcc`, whose calls before a `ret` are jumps (LLVM's `-tailcallopt`), but for ARM.
    pub guaranteed_tail_calls: bool,
    /// What `llvm.trap` and `llvm.debugtrap` call instead.
    pub trap: Option<SymbolId>,
}

/// What the functions of a module share.
#[derive(Clone, Debug)]
pub struct Facts {
    /// The target of the module.
    pub target: AbiTarget,
    /// Targets of indirect branches get a marker instruction.
    pub branch_markers: bool,
    /// The alignment to which all functions keep the stack, if it is not that of the convention; 0: it is.
    pub stack_align: u32,
    /// Jumps to thunks of calls and returns have a prefix (`indirect_branch_cs_prefix`).
    pub long_thunk_jumps: bool,
    /// Calls by address are checked (`cfguard`).
    pub guards_calls: bool,
    /// The variable with the function that checks an address, if calls of that function are made of checked calls.
    pub guard_check: Option<SymbolId>,
    /// Functions with attributes about how parameters or results are passed.
    pub passing: Callees,
    /// The functions that trampolines need, if there are trampolines.
    pub trampolines: Option<Library>,
    /// Personality routines whose pads are funclets.
    pub personalities: Vec<(SymbolId, Personality)>,
    /// Functions whose frames others look into: the symbol of the table about each, and its number of variables.
    pub escapes: HashMap<SymbolId, (SymbolId, u32)>,
    /// Exceptions that no call raises are caught, too (`eh-asynch`).
    pub asynchronous: bool,
    /// Functions that calls name as those to be called instead of a trap, by name.
    pub traps: Vec<(Vec<u8>, SymbolId)>,
    /// What the functions request of all the module's code.
    pub requests: CodeRequests,
    /// No function uses vector registers.
    pub no_vectors: bool,
    /// What is asked of all functions.
    pub defaults: FunctionDefaults,
    /// The program's `main`, if it has to call the constructors.
    main: Option<SymbolId>,
}

impl Facts {
    /// Gives a table to a function whose variables others find through the frame, at least `count` of them.
    pub fn escape(&mut self, module: &mut Module, host: SymbolId, count: u32) {
        let (table, known) = self.escapes.get(&host).copied().unwrap_or_else(|| {
            let name = format!("{}.frame", module.symbols[host.index()].name);
            (module.add_symbol(Symbol::new(name, SymbolKind::Data, Linkage::Private)), 0)
        });
        self.escapes.insert(host, (table, count.max(known)));
    }

    /// The facts of a module without flags.
    pub fn new(target: AbiTarget) -> Facts {
        Facts {
            target,
            branch_markers: false,
            stack_align: 0,
            long_thunk_jumps: false,
            guards_calls: false,
            guard_check: None,
            passing: Callees::default(),
            trampolines: None,
            personalities: Vec::new(),
            escapes: HashMap::new(),
            asynchronous: false,
            traps: Vec::new(),
            requests: CodeRequests::default(),
            no_vectors: false,
            defaults: FunctionDefaults::default(),
            main: None,
        }
    }

    /// The names of the personality routines whose pads are funclets, to be looked up for
    /// [`personalities`](Self::personalities).
    pub const FUNCLET_PERSONALITIES: [&str; 4] =
        ["__CxxFrameHandler3", "__C_specific_handler", "_except_handler3", "_except_handler4"];

    /// The kind of runtime that reads the tables of functions with this personality routine.
    pub(crate) fn personality(&self, routine: SymbolId) -> Personality {
        let known = self.personalities.iter().find(|known| known.0 == routine);
        known.map_or(Personality::Landing, |known| known.1)
    }

    /// Declares the variable with the function that checks addresses, where there is no function that checks one and goes to it.
    pub fn declare_guard(module: &mut Module, arch: Arch) -> Option<SymbolId> {
        if arch == Arch::X86_64 {
            return None;
        }
        let name = if arch == Arch::X86 { "___guard_check_icall_fptr" } else { "__guard_check_icall_fptr" };
        let known = module.symbols.iter().position(|symbol| symbol.name == name).map(SymbolId::new);
        Some(known.unwrap_or_else(|| {
            let mut symbol = Symbol::new(name, SymbolKind::Data, Linkage::Import);
            symbol.dso_local = true;
            module.add_symbol(symbol)
        }))
    }

    /// Applies what the functions that the module defines request of all its code and of its calls.
    ///
    /// # Errors
    /// A request is not supported: the number of a function that makes it, and the reason.
    pub fn merge_requests(&mut self, functions: impl Iterator<Item = FnAttrs>) -> Result<(), NotDone> {
        let vector_bytes = self.target.features.vector_bytes;
        self.requests = features::merge_requests(&mut self.target, functions)?;
        self.no_vectors = self.target.features.vector_bytes < vector_bytes;
        Ok(())
    }

    /// Looks for `main` among the functions that the module defines: with GNU's libraries for Windows on x86 it has to
    /// call the constructors (`__main` of libgcc; LLVM, `X86DAGToDAGISel::emitSpecialCodeForMain`).
    pub fn find_main(&mut self, module: &Module, mut functions: impl Iterator<Item = SymbolId>) {
        let AbiTarget { arch, os, env, .. } = self.target;
        let name = if arch == Arch::X86 { "_main" } else { "main" };
        if os == Os::Windows && matches!(arch, Arch::X86 | Arch::X86_64) && matches!(env, Env::Gnu | Env::Cygnus) {
            self.main = functions.find(|&f| {
                let symbol = module.symbol(f);
                symbol.name == name && symbol.linkage == Linkage::Export
            });
        }
    }

    /// Whether the function calls the constructors first.
    pub(crate) fn is_main(&self, function: SymbolId) -> bool {
        self.main == Some(function)
    }

    /// Whether a function of x86 or AArch64 does without floating-point registers.
    pub(crate) fn is_soft(&self, attrs: FnAttrs) -> bool {
        let here = matches!(self.target.arch, Arch::X86 | Arch::X86_64 | Arch::Aarch64);
        here && (attrs.has(FnAttrs::SOFT_FLOAT) || self.target.is_soft())
    }

    /// A function's attributes as those of the IR.
    pub(crate) fn function_attrs(&self, attrs: FnAttrs, values: Option<&Values>) -> FunctionAttrs {
        let no_values = Values::default();
        let values = values.unwrap_or(&no_values);
        // Only Arm's families have these attributes.
        let others = FnAttrs::BRANCH_TARGETS | FnAttrs::SIGN_ALL | FnAttrs::SIGN_NON_LEAF | FnAttrs::SECOND_KEY;
        let attrs =
            if matches!(self.target.arch, Arch::Aarch64 | Arch::Arm) { attrs } else { FnAttrs(attrs.0 & !others) };
        let soft_float = self.is_soft(attrs);
        let marked = attrs.has(FnAttrs::BRANCH_TARGETS) || self.branch_markers;
        let longer = Hardening(if self.long_thunk_jumps { Hardening::LONG_THUNK_JUMPS.0 } else { 0 });
        let guarded = self.guards_calls && self.guard_check.is_none();
        let guards = Hardening(if guarded { Hardening::GUARDED_CALLS.0 } else { 0 });
        let hardening = attrs.hardening().and(self.defaults.hardening).and(longer).and(guards);
        let unpredicted = hardening.has(Hardening::UNPREDICTED_JUMPS);
        FunctionAttrs {
            frame_pointer: match () {
                () if attrs.has(FnAttrs::FRAME_POINTER) => FramePointer::Keep,
                () if attrs.has(FnAttrs::FRAME_POINTER_NON_LEAF) => FramePointer::NonLeaf,
                () if attrs.has(FnAttrs::FRAME_POINTER_RESERVED) => FramePointer::Reserve,
                () if attrs.has(FnAttrs::SAYS_FRAME_POINTER) => FramePointer::Omit,
                () => self.defaults.frame_pointer,
            },
            stack_protector: match () {
                () if attrs.has(FnAttrs::SSPREQ) => StackProtector::Always,
                () if attrs.has(FnAttrs::SSPSTRONG) => StackProtector::Strong,
                () if attrs.has(FnAttrs::SSP) => StackProtector::Arrays,
                () => StackProtector::None,
            },
            return_signing: match () {
                () if attrs.has(FnAttrs::SIGN_ALL) => ReturnSigning::All,
                () if attrs.has(FnAttrs::SIGN_NON_LEAF) => ReturnSigning::NonLeaf,
                () => ReturnSigning::None,
            },
            platform_register_reserved: attrs.has(FnAttrs::PLATFORM_REGISTER),
            strict_alignment: attrs.has(FnAttrs::STRICT_ALIGN),
            no_vectors: soft_float || self.no_vectors || attrs.has(FnAttrs::NO_VECTORS),
            soft_float,
            outline_atomics: attrs.has(FnAttrs::OUTLINE_ATOMICS),
            second_return_key: attrs.has(FnAttrs::SECOND_KEY),
            calls_returns_twice: false,
            skips_word: false,
            returns_to_handler: false,
            // A function through which an exception may pass has an unwind table in any case.
            unwind_tables: attrs.has(FnAttrs::UWTABLE) || !attrs.has(FnAttrs::NOUNWIND),
            noreturn: attrs.has(FnAttrs::NORETURN),
            optimize_size: attrs.has(FnAttrs::OPTIMIZE_SIZE),
            optimize_none: attrs.has(FnAttrs::OPTNONE),
            // Unpredicted jumps use the stack.
            no_red_zone: unpredicted || attrs.has(FnAttrs::NO_RED_ZONE),
            no_implicit_float: soft_float || attrs.has(FnAttrs::NO_IMPLICIT_FLOAT),
            indirect_branch_marker: marked && !attrs.has(FnAttrs::NO_CF_CHECK),
            zero_registers: values.zero_registers.unwrap_or_default(),
            entry_call: values.entry_call,
            redirectable: values.redirectable,
            patchable_entry: values.patchable_entry.unwrap_or(0),
            patchable_prefix: values.patchable_prefix.unwrap_or(0),
            split_stack: values.split_stack,
            unsafe_stack: values.unsafe_stack,
            naked: values.naked,
            inlining: attrs.inlining(),
            sleds: match values.sleds & sleds::ALWAYS != 0 || values.sled_threshold.is_some() {
                true => (values.sleds | sleds::ENTRY | sleds::EXIT) & !values.no_sleds,
                false => 0,
            },
            sled_threshold: values.sled_threshold.unwrap_or(0),
            no_stack_probes: values.no_probes,
            probe_bytes: values.probe_bytes.unwrap_or(0),
            probe_function: values.probe_function,
            stack_limit: values.stack_limit.map(|[limit, _]| limit),
            stack_limit_handler: values.stack_limit.map(|[_, handler]| handler),
            realign_stack: matches!(self.stack_align, 1..16)
                || self.defaults.realign_stack
                || attrs.has(FnAttrs::REALIGN),
            frame_align: Some(values.frame_align.unwrap_or(0).max(self.stack_align)).filter(|&n| n > 16).unwrap_or(0),
            no_jump_tables: unpredicted || attrs.has(FnAttrs::NO_JUMP_TABLES),
            no_tail_calls: self.defaults.no_tail_calls || attrs.has(FnAttrs::NO_TAIL_CALLS),
            shadow_call_stack: values.shadow_call_stack,
            hardening,
        }
    }
}

/// Where trampolines are.
///
/// ```
/// use gusset_abi::AbiTarget;
/// use gusset_lower::Trampolines;
///
/// assert!(Trampolines::pool_supports(&AbiTarget::X86_64_LINUX));
/// assert_eq!(Trampolines::default(), Trampolines::InPlace);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum Trampolines {
    /// In the memory that the program supplies and makes executable.
    #[default]
    InPlace,
    /// In the pool of Gusset's runtime library, which the program must be linked to; no memory is both writable and
    /// executable.
    Pool,
}

impl Trampolines {
    /// Whether the runtime library has a pool on this target.
    pub fn pool_supports(target: &AbiTarget) -> bool {
        let system = match target.arch {
            Arch::Arm => target.os == Os::Linux,
            _ => matches!(target.os, Os::Linux | Os::Windows),
        };
        system && target.env != Env::Cygnus && !target.features.chain_in_x18
    }
}

/// The attributes of a function about how it is called. A direct call uses them where it has none of its own (LLVM,
/// `CallBase::paramHasAttr`).
#[derive(Clone, Default, Debug)]
pub struct Passing {
    /// The convention.
    pub convention: Convention,
    /// The types of the calls to which they apply, and whether the function is variadic; `None` for all calls.
    pub types: Option<(TypeId, Vec<TypeId>, bool)>,
    /// The attributes of the result.
    pub ret: ParamAttrs,
    /// Indexes of parameters, each with its attributes.
    pub params: Vec<(u32, ParamAttrs)>,
}

/// The functions that have such attributes.
#[derive(Clone, Default, Debug)]
pub struct Callees(Vec<Option<Box<Passing>>>);

impl Callees {
    /// The attributes of a symbol's function, if it has any.
    #[inline]
    pub fn get(&self, symbol: SymbolId) -> Option<&Passing> {
        self.0.get(symbol.index())?.as_deref()
    }

    /// Adds a function's attributes, if it has any about passing.
    pub fn insert(&mut self, symbol: SymbolId, passing: Passing) {
        if passing.params.is_empty() && !passing.ret.is_about_passing() {
            return;
        }
        if self.0.len() <= symbol.index() {
            self.0.resize(symbol.index() + 1, None);
        }
        self.0[symbol.index()] = Some(Box::new(passing));
    }
}

impl Passing {
    /// Whether the attributes apply to a call of these types.
    fn is_for(&self, request: &Request) -> bool {
        self.types.as_ref().is_none_or(|(ret, params, more)| {
            let named = &request.params[..request.variadic.unwrap_or(request.params.len()).min(request.params.len())];
            request.ret.is_some_and(|r| r.0 == *ret)
                && request.variadic.is_some() == *more
                && named.iter().map(|p| p.0).eq(params.iter().copied())
        })
    }

    /// Adds the function's attributes to a call where it has none.
    pub(crate) fn complete(&self, request: &mut Request) {
        if !self.is_for(request) {
            return;
        }
        if let Some((_, attrs)) = &mut request.ret {
            attrs.take_from_callee(self.ret);
        }
        for &(param, callee) in &self.params {
            if let Some((_, attrs)) = request.params.get_mut(param as usize) {
                attrs.take_from_callee(callee);
            }
        }
    }

    /// Whether the function takes a static chain.
    pub fn has_chain(&self) -> bool {
        self.params.iter().any(|(_, attrs)| attrs.role == Role::Nest)
    }
}

/// The functions that trampolines need.
#[derive(Clone, Copy, Debug)]
pub enum Library {
    /// Of the pool.
    Pool {
        /// Makes a trampoline.
        init: SymbolId,
        /// The same for functions whose static chain is in eax, on 32-bit x86.
        init_eax: Option<SymbolId>,
        /// Gives its address.
        adjust: SymbolId,
        /// Frees a trampoline of the pool.
        free: SymbolId,
        /// The personality routine of functions with trampolines that have none of their own.
        personality: Option<SymbolId>,
    },
    /// Of trampolines in place.
    InPlace {
        /// Makes written code visible to instruction fetches, where that takes a call.
        clear_cache: Option<SymbolId>,
        /// Their instruction set.
        isa: Isa,
    },
}

impl Library {
    /// Declares the needed functions by `import`.
    pub fn declare(
        place: Trampolines,
        isa: Isa,
        target: &AbiTarget,
        mut import: impl FnMut(&str) -> SymbolId,
    ) -> Library {
        match place {
            Trampolines::Pool => Library::Pool {
                // A linker that does not find them prints what is missing.
                init: import("gusset_host_trampoline_init__link_with_libgusset_runtime"),
                init_eax: (target.arch == Arch::X86)
                    .then(|| import("gusset_host_trampoline_init_eax__link_with_libgusset_runtime")),
                adjust: import("gusset_trampoline_adjust"),
                free: import("gusset_trampoline_free"),
                personality: personality(target).map(import),
            },
            Trampolines::InPlace => {
                let flush = matches!(target.arch, Arch::Aarch64 | Arch::Arm);
                Library::InPlace { clear_cache: flush.then(|| import("__clear_cache")), isa }
            }
        }
    }

    /// Uses the module's own symbol of this name instead of an imported one.
    pub fn replace(&mut self, imported: SymbolId, own: SymbolId) {
        let all = match self {
            Library::Pool { init, init_eax, adjust, free, personality } => {
                [Some(init), init_eax.as_mut(), Some(adjust), Some(free), personality.as_mut()]
            }
            Library::InPlace { clear_cache, .. } => [clear_cache.as_mut(), None, None, None, None],
        };
        all.into_iter().flatten().filter(|s| **s == imported).for_each(|s| *s = own);
    }
}

/// The kind of the personality routine for C with cleanups.
pub(crate) fn library_personality(target: &AbiTarget) -> Personality {
    match personality(target) {
        Some(CXX) => Personality::Cxx,
        _ => Personality::Landing,
    }
}

/// That of Microsoft's C++.
const CXX: &str = "__CxxFrameHandler3";

/// The personality routine for C with cleanups (GCC, `libgcc/unwind-c.c`; Microsoft's C++ has only one), if the target
/// has one.
fn personality(target: &AbiTarget) -> Option<&'static str> {
    match (target.os, target.env, target.arch) {
        (Os::Windows, Env::Msvc | Env::Itanium, Arch::Arm) | (Os::Windows, Env::Itanium, Arch::X86) => None,
        (Os::Windows, Env::Msvc, _) => Some(CXX),
        (Os::Windows, _, Arch::X86_64) => Some("__gcc_personality_seh0"),
        _ => Some("__gcc_personality_v0"),
    }
}
