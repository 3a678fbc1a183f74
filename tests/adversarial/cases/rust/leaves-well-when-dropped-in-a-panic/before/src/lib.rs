/// What is worth knowing of a sample.
#[derive(Debug)]
pub struct Summary {
    pub least: f64,
    pub median: f64,
    pub most: f64,
}

impl Summary {
    /// Of a sample that is not empty.
    pub fn of(values: &[f64]) -> Summary {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        Summary { least: sorted[0], median: sorted[sorted.len() / 2], most: sorted[sorted.len() - 1] }
    }
}
