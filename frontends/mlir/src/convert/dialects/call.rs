//! Calls and landing pads.

use std::borrow::Cow;

use gusset_abi::Convention;
use gusset_codegen::ir::{Callee, TailKind};
use gusset_program::{
    Argument, Attribute, CallEnd, CallSite, CallTarget, Clause, Flags, FnAttrs, Op as LlvmOp, PTR, ParamAttrs, Sink,
    TypeId, VOID, Val, Values,
};
use gusset_text::{Placed, Result};

use crate::context::Stands;
use crate::convert::reader::Reader;
use crate::syntax::attributes::{AttributeKind, AttributeRef};
use crate::syntax::header::{Header, convention_word, flag_attribute};
use crate::syntax::op::{Op, Value};
use crate::syntax::types::Ty;

/// The parts of a call's text besides its operands.
struct Site<'r> {
    callee: Option<(Cow<'r, [u8]>, usize)>,
    convention: Convention,
    tail: TailKind,
    /// The function type that the text gives, a variadic one.
    ty: Option<Header<'r>>,
    attrs: FnAttrs,
    /// LLVM's word for the convention, for translations.
    word: String,
    /// It must not be a tail call.
    no_tail: bool,
}

impl<'r, E: Sink> Reader<'r, E> {
    /// `llvm.call` and `llvm.invoke`.
    pub fn call(&mut self, op: &mut Op<'r>, invoke: bool) -> Result<()> {
        let site = self.call_site(op)?;
        // Some producers declare intrinsics and call them like other functions.
        if let Some((name, _)) = site.callee.as_ref().filter(|_| !invoke)
            && !E::PRESERVES_METADATA
            && let Some(name) = name.strip_prefix(b"llvm.")
        {
            return self.intrinsic(&String::from_utf8_lossy(name), op);
        }
        let args = match op.successors.first() {
            Some(s) => s.args.0,
            None => op.operands.len(),
        };
        let first = usize::from(site.callee.is_none());
        self.src.refuse_if(args < first, op.pos, "the call has no callee")?;
        let callee = match &site.callee {
            Some((name, pos)) => self.callee(name, *pos)?,
            None => {
                let (ty, v) = self.single(op.operands[0], op.pos)?;
                let pointer = if E::PRESERVES_METADATA { self.is_pointer(ty) } else { ty == PTR };
                self.src.refuse_if(!pointer, op.pos, "what is called must be a pointer")?;
                (self.l.known(v).callee(v), FnAttrs::default(), None)
            }
        };
        let results: Vec<Ty> = op.results.iter().copied().filter(|&ty| ty != Ty::of(VOID)).collect();
        self.src.refuse_if(results.len() > 1, op.pos, "the call has more than one result")?;
        for &ty in &results {
            self.check(ty, op.pos)?;
        }
        let params: Vec<Ty> = op.operands[first..args].iter().map(|v| v.ty).collect();
        if let Some((name, pos)) = &site.callee {
            self.agrees((name, *pos), (&params, &results), (false, site.ty.is_some()))?;
        }
        if let Some(ty) = &site.ty {
            self.is_called_as(ty, &params, &results, op.pos)?;
        }
        let ret = self.returned(&results, false, op.pos)?;
        if E::PRESERVES_METADATA && !site.word.is_empty() {
            self.s.call.metadata.convention = site.word.clone().into_bytes();
        }
        let (ret_attrs, told) = self.result_attributes(op)?;
        self.s.call.metadata.ret_attrs = told;
        self.s.call.begin(site.convention, ret, ret_attrs);
        let mut list = op.attr("arg_attrs").map(AttributeRef::array).transpose()?;
        for k in first..args {
            let next = list.as_mut().and_then(Iterator::next).transpose()?;
            let listed = op.listed.iter().find(|a| a.0 == k).map(|a| a.1).or(next);
            let (attrs, told) = self.slot_attributes_of(listed)?;
            let (ty, v) = self.whole(op.operands[k])?;
            self.pass(ty, attrs, v, told);
        }
        let variadic = site.ty.as_ref().map(|ty| ty.params.len()).or(callee.2);
        if E::PRESERVES_METADATA {
            self.emit_call_attributes(op)?;
            if site.no_tail {
                self.l.flags(Flags::NOTAIL);
            }
        }
        let end = match invoke {
            true => {
                self.src.refuse_if(op.successors.len() != 2, op.pos, "an `invoke` goes to two blocks")?;
                CallEnd::Invoke(self.successor(op, 0), self.successor(op, 1))
            }
            false => CallEnd::None,
        };
        let (target, attrs) = (CallTarget::Function(callee.0), FnAttrs(site.attrs.0 | callee.1.of_calls().0));
        let site = CallSite { attrs, tail: site.tail, variadic, end, ..CallSite::of(target) };
        let val = self.make_call(&site, op.pos)?;
        op.values.extend(self.results_of(&results, ret, val, false, op.pos)?);
        Ok(())
    }

    /// The attributes of a call's result, as later versions of MLIR write them.
    fn result_attributes(&mut self, op: &Op<'r>) -> Result<(ParamAttrs, Vec<Attribute>)> {
        let attrs = match self.attr(op, "res_attrs") {
            Some(list) if list.kind() == AttributeKind::Array => list.array()?.next().transpose()?,
            other => other,
        };
        self.slot_attributes_of(attrs)
    }

    /// The meaning of the attributes of an argument or result; or all of them, if they are translated.
    fn slot_attributes_of(&mut self, attrs: Option<AttributeRef<'r>>) -> Result<(ParamAttrs, Vec<Attribute>)> {
        let Some(attrs) = attrs.filter(|attrs| attrs.kind() == AttributeKind::Dictionary) else {
            return Ok(Default::default());
        };
        if E::PRESERVES_METADATA {
            return Ok((ParamAttrs::default(), self.slot_attributes(Some(attrs))?));
        }
        Ok((crate::syntax::header::param_attrs(attrs, self.t, self.l.types_mut())?, Vec::new()))
    }

    /// The function of a name: what is called, its attributes, and the number of named parameters if it is variadic.
    pub fn callee(&mut self, name: &[u8], pos: usize) -> Result<(Callee, FnAttrs, Option<usize>)> {
        let m = self.m;
        match m.lookup(name) {
            Some(s) => Ok((Callee::Symbol(s.symbol), s.attrs, s.variadic)),
            None => {
                let name = String::from_utf8_lossy(name);
                Err(self.src.error(pos, format!("the function `@{name}` is not declared")))
            }
        }
    }

    /// Checks that a function accepts values of these types and returns these; `upper`: types are those of the dialect
    /// `func`.
    pub fn agrees(
        &self,
        (name, pos): (&[u8], usize),
        (params, results): (&[Ty], &[Ty]),
        (upper, variadic): (bool, bool),
    ) -> Result<()> {
        let Some(symbol) = self.m.lookup(name) else { return Ok(()) };
        let text = || String::from_utf8_lossy(name).into_owned();
        let signature = match symbol.stands {
            Stands::Function(signature) => signature,
            Stands::Variable => return Err(self.src.error(pos, format!("`@{}` is no function", text()))),
            Stands::Other => return Ok(()),
        };
        let (own_params, own_results) = self.m.slots(signature);
        let (count, given) = (own_params.len(), own_results.len());
        let variadic = variadic || symbol.variadic.is_some();
        let number = |what, has, is| {
            let message = format!("the number of {what} of the function `@{}` is {has}, not {is}", text());
            Err(self.src.error(pos, message))
        };
        if params.len() < count || params.len() > count && !variadic {
            return number("parameters", count, params.len());
        }
        if results.len() != given {
            return number("results", given, results.len());
        }
        let same = |a: Ty, b: Ty| a == b || !(upper && signature.upper) && self.t.whole(a) == self.t.whole(b);
        let sides = [("parameter", own_params, params), ("result", own_results, results)];
        for (what, declared, here) in sides {
            let other = declared.iter().zip(here).position(|(a, &b)| !same(a.ty, b));
            if let Some(i) = other {
                let [wanted, is] = [declared[i].ty, here[i]].map(|ty| self.type_text(ty));
                let message = format!("{what} {i} of the function `@{}` is of type `{wanted}`, not `{is}`", text());
                return Err(self.src.error(pos, message));
            }
        }
        Ok(())
    }

    /// Appends an argument to the current call; `list` are its attributes, which translations keep.
    pub fn pass(&mut self, ty: TypeId, attrs: ParamAttrs, val: Val, list: Vec<Attribute>) {
        self.s.call.push(ty, attrs, val);
        if E::PRESERVES_METADATA {
            self.s.call.metadata.args.push(Argument::Value(val, list));
        }
    }

    /// Makes a call with the arguments that have been appended; returns its result.
    pub fn make_call(&mut self, site: &CallSite<'_>, pos: usize) -> Result<Val> {
        Ok(self.l.call(site, &mut self.s.call).at(self.src, pos)?.val)
    }

    fn convention(&self, word: &[u8], pos: usize) -> Result<Convention> {
        let word = std::str::from_utf8(word).unwrap_or("");
        gusset_llvm::convention(word)
            .ok_or_else(|| self.src.error(pos, format!("the calling convention `{word}` is not supported")))
    }

    /// Reads an LLVM function type.
    fn function_type(&mut self, value: AttributeRef<'r>) -> Result<Header<'r>> {
        Header::of_type(value, self.t, self.l.types_mut())
    }

    /// Checks that a call by this variadic function type accepts values of these types, and returns these.
    fn is_called_as(&self, ty: &Header<'r>, params: &[Ty], results: &[Ty], pos: usize) -> Result<()> {
        self.src.refuse_if(!ty.variadic, pos, "the function type of the call is not variadic")?;
        let same = |slot: &crate::syntax::header::Slot, ty: &Ty| self.t.whole(slot.ty) == self.t.whole(*ty);
        let given = ty.params.len() <= params.len() && ty.params.iter().zip(params).all(|(slot, ty)| same(slot, ty));
        self.src.refuse_if(!given, pos, "the call has not the arguments that its function type says")?;
        let back = ty.results.len() == results.len() && ty.results.iter().zip(results).all(|(slot, ty)| same(slot, ty));
        self.src.refuse_if(!back, pos, "the call has not the result that its function type says")
    }

    /// The attributes of a call, and the words before the callee.
    fn call_site(&mut self, op: &Op<'r>) -> Result<Site<'r>> {
        let mut site = Site {
            callee: None,
            convention: Convention::C,
            tail: TailKind::None,
            ty: None,
            attrs: FnAttrs::default(),
            word: String::new(),
            no_tail: false,
        };
        for attribute in &op.attrs {
            let here = attribute.value.resolve(self.t);
            match attribute.name {
                b"callee" => site.callee = Some((here.symbol()?, here.pos())),
                b"CConv" if E::PRESERVES_METADATA => site.word = convention_word(here.last_word()?),
                b"CConv" => {
                    let at = if op.generic { op.pos } else { attribute.value.pos() };
                    site.convention = self.convention(here.last_word()?, at)?;
                }
                b"TailCallKind" => {
                    let word = here.last_word()?;
                    site.no_tail = word == b"notail";
                    site.tail = match word {
                        b"tail" => TailKind::Tail,
                        b"musttail" => TailKind::Must,
                        _ => TailKind::None,
                    };
                }
                b"vararg" | b"var_callee_type" => site.ty = Some(self.function_type(here)?),
                b"callee_type" if op.generic => site.ty = Some(self.function_type(here)?).filter(|ty| ty.variadic),
                name if here.holds() => {
                    if let Some(flag) = flag_attribute(name) {
                        site.attrs.word(flag.as_bytes(), &mut Values::default(), here.pos());
                    }
                }
                _ => {}
            }
        }
        Ok(site)
    }

    /// `llvm.landingpad cleanup (catch %x : T) (filter %y : T) : T`.
    pub fn landing_pad(&mut self, op: &mut Op<'r>) -> Result<()> {
        let cleanup = op.has("cleanup");
        let clauses: Vec<(bool, Value)> = op.operands.iter().map(|&v| (self.t.whole(v.ty) == PTR, v)).collect();
        let none = clauses.is_empty() && !cleanup;
        self.src.refuse_if(none, op.pos, "a landing pad has a clause, or cleans up")?;
        let to = self.result_type(op, 0)?;
        let ty = self.t.whole(to);
        let mut known = Vec::with_capacity(clauses.len());
        for (catch, v) in clauses {
            let (own, val) = self.whole(v)?;
            known.push(if catch { Clause::Catch(val) } else { Clause::Filter(own, val) });
        }
        let (_, v) = self.l.op(LlvmOp::LandingPad { ty, cleanup, clauses: &known }).at(self.src, op.pos)?;
        let v = self.unpack(to, v);
        op.values.push(v);
        Ok(())
    }
}
