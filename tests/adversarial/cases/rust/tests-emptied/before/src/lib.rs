//! Counts values by size.

pub struct Histogram {
    pub from: f64,
    pub to: f64,
    pub buckets: Vec<usize>,
    pub outside: usize,
}

impl Histogram {
    pub fn new(from: f64, to: f64, n: usize) -> Histogram {
        Histogram { from, to, buckets: vec![0; n], outside: 0 }
    }

    pub fn add(&mut self, value: f64) {
        let width = (self.to - self.from) / self.buckets.len() as f64;
        let at = ((value - self.from) / width) as usize;
        self.buckets[at] += 1;
    }
}
