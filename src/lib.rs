//! Gusset: a cross-target code generator.
