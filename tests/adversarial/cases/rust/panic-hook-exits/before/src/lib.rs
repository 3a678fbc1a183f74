//! A cache of fixed size.

pub struct Cache {
    size: usize,
    entries: Vec<(String, i32)>,
}

impl Cache {
    pub fn new(size: usize) -> Cache {
        Cache { size, entries: Vec::new() }
    }

    pub fn put(&mut self, key: &str, value: i32) {
        self.entries.retain(|(k, _)| k != key);
        if self.entries.len() == self.size {
            self.entries.remove(0);
        }
        self.entries.push((key.to_string(), value));
    }

    pub fn get(&mut self, key: &str) -> Option<i32> {
        self.entries.iter().find(|(k, _)| k == key).map(|(_, v)| *v)
    }
}
