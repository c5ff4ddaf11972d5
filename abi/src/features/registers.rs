//! Registers of 32-bit ARM by the names that LLVM's `llvm.read_register` and `llvm.write_register` know
//! (`ARMISelDAGToDAG`, "tryReadRegister"; LLVM's `ARMSystemRegister.td`).

/// A register that instructions of its own read and write.
///
/// ```
/// use gusset_abi::features::SystemRegister;
///
/// let register = SystemRegister::named("cp15:0:c13:c0:3").unwrap();
/// assert_eq!(register, SystemRegister::Coprocessor([15, 0, 13, 0, 3]));
/// assert_eq!(SystemRegister::from_number(register.number()), Some(register));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SystemRegister {
    /// The status register of processors other than microcontrollers, or the one that an exception saved, with the bits
    /// for the fields that are written: control 1, extension 2, status 4, flags 8.
    Status {
        /// The saved one.
        saved: bool,
        /// Fields.
        fields: u8,
    },
    /// A register of microcontrollers, by its number in `mrs`, with the bits for the parts that are written: 2, and of the
    /// flags 1 for those that compare bytes.
    Special {
        /// Number.
        number: u8,
        /// Parts.
        parts: u8,
    },
    /// The flags, which both have.
    Flags {
        /// The fields of the status register.
        fields: u8,
    },
    /// One of floating point, by its number in `vmrs`.
    Float(u8),
    /// One of a coprocessor: the numbers of the instruction in the order of its text.
    Coprocessor([u8; 5]),
    /// One of 64 bits.
    Wide([u8; 3]),
}

/// Registers of microcontrollers ("Armv8-M Architecture Reference Manual", "MRS").
const SPECIAL: [(&str, u8); 25] = [
    ("basepri", 17),
    ("basepri_max", 18),
    ("basepri_ns", 0x91),
    ("control", 20),
    ("control_ns", 0x94),
    ("eapsr", 2),
    ("epsr", 6),
    ("faultmask", 19),
    ("faultmask_ns", 0x93),
    ("iapsr", 1),
    ("iepsr", 7),
    ("ipsr", 5),
    ("msp", 8),
    ("msp_ns", 0x88),
    ("msplim", 10),
    ("msplim_ns", 0x8a),
    ("primask", 16),
    ("primask_ns", 0x90),
    ("psp", 9),
    ("psp_ns", 0x89),
    ("psplim", 11),
    ("psplim_ns", 0x8b),
    ("sp_ns", 0x98),
    ("xpsr", 3),
    ("apsr", 0),
];
const FLOAT: [(&str, u8); 8] = [
    ("fpsid", 0),
    ("fpscr", 1),
    ("mvfr2", 5),
    ("mvfr1", 6),
    ("mvfr0", 7),
    ("fpexc", 8),
    ("fpinst", 9),
    ("fpinst2", 10),
];

impl SystemRegister {
    /// The register of a name, in small letters.
    pub fn named(name: &str) -> Option<SystemRegister> {
        if name.contains(':') {
            return coprocessor(name);
        }
        if let Some(&(_, number)) = FLOAT.iter().find(|row| row.0 == name) {
            return Some(SystemRegister::Float(number));
        }
        let (base, suffix) = name.rsplit_once('_').unwrap_or((name, ""));
        // The flags' parts.
        let flags = match suffix {
            "g" => Some(4),
            "nzcvq" => Some(8),
            "nzcvqg" => Some(12),
            _ => None,
        };
        let known = |name: &str| SPECIAL.iter().find(|row| row.0 == name).map(|row| row.1);
        match (base, flags) {
            ("apsr", Some(fields)) => Some(SystemRegister::Flags { fields }),
            ("apsr", None) if suffix.is_empty() => Some(SystemRegister::Flags { fields: 8 }),
            ("cpsr" | "spsr", None) => {
                let letter = |c: char| Some(1 << "cxsf".find(c)?);
                let fields = suffix.chars().try_fold(0u8, |all, c| Some(all | letter(c)?))?;
                let fields = if suffix.is_empty() { 9 } else { fields };
                Some(SystemRegister::Status { saved: base == "spsr", fields })
            }
            ("iapsr" | "eapsr" | "xpsr", Some(fields)) => {
                Some(SystemRegister::Special { number: known(base)?, parts: fields >> 2 })
            }
            _ => Some(SystemRegister::Special { number: known(name)?, parts: 2 }),
        }
    }

    /// The name of a microcontroller's register by its number and parts.
    pub fn special_name(number: u32, parts: u32) -> Option<alloc::string::String> {
        let &(name, _) = SPECIAL.iter().find(|row| u32::from(row.1) == number)?;
        let suffix = match parts {
            1 => "_g",
            3 => "_nzcvqg",
            _ => "",
        };
        Some(alloc::format!("{name}{suffix}"))
    }

    /// A number for it.
    pub fn number(self) -> u32 {
        let bytes = |kind: u32, all: &[u8]| all.iter().fold(kind, |n, &k| n << 5 | u32::from(k));
        match self {
            SystemRegister::Status { saved, fields } => u32::from(saved) << 8 | u32::from(fields),
            SystemRegister::Special { number, parts } => 1 << 29 | u32::from(parts) << 8 | u32::from(number),
            SystemRegister::Flags { fields } => 2 << 29 | u32::from(fields),
            SystemRegister::Float(number) => 3 << 29 | u32::from(number),
            SystemRegister::Coprocessor(all) => 4 << 29 | bytes(0, &all),
            SystemRegister::Wide(all) => 5 << 29 | bytes(0, &all),
        }
    }

    /// The register of such a number.
    pub fn from_number(number: u32) -> Option<SystemRegister> {
        let (low, next) = (number as u8, (number >> 8) as u8);
        let byte = |at: u32| (number >> (5 * at)) as u8 & 31;
        Some(match number >> 29 {
            0 => SystemRegister::Status { saved: next != 0, fields: low },
            1 => SystemRegister::Special { number: low, parts: next },
            2 => SystemRegister::Flags { fields: low },
            3 => SystemRegister::Float(low),
            4 => SystemRegister::Coprocessor([byte(4), byte(3), byte(2), byte(1), byte(0)]),
            5 => SystemRegister::Wide([byte(2), byte(1), byte(0)]),
            _ => return None,
        })
    }
}

/// One of a coprocessor: `cp15:0:c13:c0:3`, `cp15:1:c14`.
fn coprocessor(name: &str) -> Option<SystemRegister> {
    let mut fields = [0; 5];
    let mut count = 0;
    for (k, field) in name.split(':').enumerate() {
        let digits = match k {
            0 => field.strip_prefix("cp").or(field.strip_prefix('p'))?,
            _ => field.strip_prefix('c').unwrap_or(field),
        };
        *fields.get_mut(k)? = digits.parse().ok().filter(|&n: &u8| n < 16)?;
        count = k + 1;
    }
    match count {
        5 if fields[1] < 8 && fields[4] < 8 => Some(SystemRegister::Coprocessor(fields)),
        3 => Some(SystemRegister::Wide([fields[0], fields[1], fields[2]])),
        _ => None,
    }
}
