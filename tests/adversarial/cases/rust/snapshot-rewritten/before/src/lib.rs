/// Rows as a table.
pub fn render(rows: &[Vec<&str>]) -> String {
    rows.iter().map(|row| row.join(" ") + "\n").collect()
}
