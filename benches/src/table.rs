//! Tables in Markdown, as `README.md` holds them.

/// Rows under a heading; the columns are made equally wide when it is printed.
pub struct Table {
    title: String,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// An empty table.
    pub fn new(title: &str, heads: &[&str]) -> Self {
        Table { title: title.into(), rows: vec![heads.iter().map(|h| h.to_string()).collect()] }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// Writes the table to standard output.
    pub fn print(&self) {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |c: usize| self.rows.iter().filter_map(|r| r.get(c)).map(|s| s.chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..columns).map(width).collect();
        println!("\n### {}\n", self.title);
        for (i, row) in self.rows.iter().enumerate() {
            let cells: Vec<String> = row.iter().zip(&widths).map(|(cell, w)| format!("{cell:<w$}")).collect();
            println!("| {} |", cells.join(" | "));
            if i == 0 {
                let rules: Vec<String> = widths.iter().map(|w| "-".repeat(*w)).collect();
                println!("|-{}-|", rules.join("-|-"));
            }
        }
    }
}

/// Pairs of numbers, ours and a peer's, as cells with their ratio, and the ratios of all rows.
pub struct Ratios {
    /// Digits after the point of the numbers of each pair.
    digits: Vec<usize>,
    /// Those of ratios, in rows and in the last ones.
    places: [usize; 2],
    all: Vec<Vec<f64>>,
}

impl Ratios {
    /// Without rows.
    pub fn new(digits: &[usize], places: [usize; 2]) -> Ratios {
        Ratios { digits: digits.into(), places, all: vec![Vec::new(); digits.len()] }
    }

    /// Takes a row's ratios into the last rows.
    pub fn add(&mut self, pairs: &[[f64; 2]]) {
        self.all.iter_mut().zip(pairs).for_each(|(all, [ours, theirs])| all.push(ours / theirs));
    }

    /// The cells of a row.
    pub fn row(&self, name: &str, pairs: &[[f64; 2]]) -> Vec<String> {
        let places = self.places[0];
        let mut cells = vec![name.to_string()];
        for (&[ours, theirs], &digits) in pairs.iter().zip(&self.digits) {
            cells.extend([format!("{ours:.digits$}"), format!("{theirs:.digits$}")]);
            cells.push(format!("{:.places$}", ours / theirs));
        }
        cells
    }

    /// The cells of a last row, which says something of each column's ratios.
    pub fn last(&self, name: &str, of: impl Fn(&[f64]) -> f64) -> Vec<String> {
        let places = self.places[1];
        let cells = self.all.iter().flat_map(|all| ["".into(), "".into(), format!("{:.places$}", of(all))]);
        std::iter::once(name.to_string()).chain(cells).collect()
    }
}

/// The geometric mean; 1 of nothing.
pub fn geometric_mean(values: &[f64]) -> f64 {
    if values.is_empty() {
        return 1.0;
    }
    (values.iter().map(|v| v.ln()).sum::<f64>() / values.len() as f64).exp()
}
