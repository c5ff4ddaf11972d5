//! Colours and fonts.

use std::fmt::Write;

/// Colours of values: the result's, then the arguments' in turn; for light and dark backgrounds.
const VALUES: [(&str, &str); 9] = [
    ("#ccd4de", "#414c5a"),
    ("#a3cdfb", "#235c9c"),
    ("#ffcb94", "#8f5519"),
    ("#abe0b4", "#2a7240"),
    ("#dfbcf5", "#713f96"),
    ("#f8b8c4", "#973952"),
    ("#98dcdf", "#1d7679"),
    ("#efdc85", "#7a6815"),
    ("#d3c7ab", "#665c43"),
];

/// The class of a value's colour.
pub(crate) fn value_class(index: usize) -> String {
    let color = if index == 0 { 0 } else { (index - 1) % (VALUES.len() - 1) + 1 };
    format!("v{color}")
}

/// The style sheet and the hatching.
pub(crate) fn sheet() -> String {
    let mut light = String::new();
    let mut dark = String::new();
    for (i, (on_light, on_dark)) in VALUES.iter().enumerate() {
        let _ = write!(light, ".v{i}{{fill:{on_light}}}");
        let _ = write!(dark, ".v{i}{{fill:{on_dark}}}");
    }
    format!(
        "<style>\n\
         text{{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;font-size:12px;fill:#1c2229}}\n\
         .sans{{font-family:system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif}}\n\
         .target{{font-size:16px;font-weight:600}} .head{{font-size:11px;font-weight:600;letter-spacing:.06em}}\n\
         .small{{font-size:11px}} .cell{{font-size:11px}} .name{{font-weight:600}}\n\
         .dim{{fill:#66707c}} .card{{fill:#fff;stroke:#d4dae1}} .free{{fill:#f4f6f8;stroke:none}}\n\
         .edge{{fill:none;stroke:#55606d}} .tick{{stroke:#55606d;stroke-opacity:.35}} .rule{{stroke:#e3e8ed}}\n\
         .ghost{{fill:none;stroke:#9aa4b0;stroke-dasharray:4 3}} .sp{{stroke:#c62f4b;stroke-width:2}} .spt{{fill:#c62f4b}}\n\
         .hatch{{fill:url(#hatch)}} .line{{stroke:#55606d;stroke-opacity:.45}} .ext{{opacity:.45}}\n\
         {light}\n\
         @media (prefers-color-scheme:dark){{\n\
         text{{fill:#e8ecf1}} .dim{{fill:#9aa5b2}} .card{{fill:#161b21;stroke:#323a44}} .free{{fill:#1f252d}}\n\
         .edge{{stroke:#8b97a5}} .tick{{stroke:#8b97a5}} .rule{{stroke:#2b323b}} .ghost{{stroke:#5f6b79}}\n\
         .sp{{stroke:#ff7d92}} .spt{{fill:#ff7d92}} .line{{stroke:#b6c0cc}}\n\
         {dark}}}\n</style>\n\
         <defs><pattern id=\"hatch\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">\
         <line class=\"line\" x1=\"0\" y1=\"0\" x2=\"0\" y2=\"6\" stroke-width=\"2\"/></pattern></defs>\n"
    )
}
