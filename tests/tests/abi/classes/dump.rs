//! clang's dump of the layouts of classes.

use std::collections::BTreeMap;

/// A class as clang lays it out.
#[derive(PartialEq, Eq, Debug, Default)]
pub struct Dumped {
    pub size: u64,
    /// Not shown for Microsoft's targets.
    pub data_size: Option<u64>,
    pub align: u64,
    pub non_virtual_size: u64,
    pub non_virtual_align: u64,
    /// Offsets in bits of members and bases.
    pub members: BTreeMap<String, u64>,
}

/// Layouts by the names of the classes.
pub type Layouts = BTreeMap<String, Dumped>;

/// The layouts of a dump.
pub fn layouts(text: &str) -> Layouts {
    let blocks = text.split("*** Dumping AST Record Layout").skip(1);
    blocks.filter_map(layout).collect()
}

fn layout(block: &str) -> Option<(String, Dumped)> {
    let mut lines = block.lines().filter(|line| line.contains('|'));
    let head = lines.next()?.split_once("| ")?.1.replace(" (empty)", "");
    let name = head.rsplit(' ').next()?.to_string();
    let mut dumped = Dumped::default();
    for line in lines {
        let (offset, label) = line.split_once('|')?;
        if label.contains('[') || label.contains('=') && label.contains("nv") {
            sizes(label, &mut dumped);
            if label.contains('[') && label.contains("sizeof") || label.contains("nvsize") {
                continue;
            }
        }
        // Members of the class itself are indented by two spaces behind the first.
        let Some(label) = label.strip_prefix("   ").filter(|label| !label.starts_with(' ')) else { continue };
        if let Some(key) = key(label, offset) {
            dumped.members.insert(key, bits(offset)?);
        }
    }
    Some((name, dumped))
}

/// Reads `[sizeof=8, align=4,` and the like.
fn sizes(label: &str, dumped: &mut Dumped) {
    for part in label.split(['[', ']', ',', ' ']) {
        let Some((name, Ok(number))) = part.split_once('=').map(|(name, number)| (name, number.parse())) else {
            continue;
        };
        match name {
            "sizeof" => dumped.size = number,
            "dsize" => dumped.data_size = Some(number),
            "align" => dumped.align = number,
            "nvsize" => dumped.non_virtual_size = number,
            "nvalign" => dumped.non_virtual_align = number,
            _ => {}
        }
    }
}

fn key(label: &str, offset: &str) -> Option<String> {
    let label = label.replace(" (empty)", "").replace("primary ", "");
    if label.ends_with("vftable pointer)") || label.ends_with("vtable pointer)") {
        return Some("vptr".into());
    }
    if label.ends_with("vbtable pointer)") {
        return Some("vbptr".into());
    }
    if label.starts_with("(vtordisp") {
        return Some(format!("vtordisp {}", offset.trim()));
    }
    for kind in [" (base)", " (virtual base)"] {
        if let Some(base) = label.strip_suffix(kind) {
            return Some(format!("{}{kind}", base.rsplit(' ').next()?));
        }
    }
    let name = label.rsplit(' ').next()?;
    name.starts_with('m').then(|| name.to_string())
}

/// An offset such as `8` or, of a bit-field, `8:3-5`.
fn bits(offset: &str) -> Option<u64> {
    let offset = offset.trim();
    let (byte, bit) = offset.split_once(':').unwrap_or((offset, "0"));
    let bit = bit.split('-').next().filter(|bit| !bit.is_empty()).unwrap_or("0");
    Some(8 * byte.parse::<u64>().ok()? + bit.parse::<u64>().ok()?)
}
