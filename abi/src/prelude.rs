//! What every convention's file imports: types, signatures, targets, registers, and the results of classification.

pub(crate) use crate::error::{AbiError, Subject};
pub(crate) use crate::fnabi::*;
pub(crate) use crate::inline::InlineVec;
pub(crate) use crate::layout::DataLayout;
pub(crate) use crate::measure::Layout;
pub(crate) use crate::reg::{Reg, RegClass, RegSet};
pub(crate) use crate::signature::*;
pub(crate) use crate::target::*;
pub(crate) use crate::types::*;
pub(crate) use crate::vararg::*;
pub(crate) use alloc::vec::Vec;
