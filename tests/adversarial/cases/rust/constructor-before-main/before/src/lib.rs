//! A ring buffer.

pub struct Ring {
    items: Vec<i32>,
    size: usize,
}

impl Ring {
    pub fn new(size: usize) -> Ring {
        Ring { items: Vec::new(), size }
    }

    pub fn push(&mut self, item: i32) {
        if self.items.len() < self.size {
            self.items.push(item);
        }
    }

    pub fn items(&self) -> Vec<i32> {
        self.items.clone()
    }
}
