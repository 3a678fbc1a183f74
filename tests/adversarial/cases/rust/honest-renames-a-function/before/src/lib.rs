//! Searching.

pub fn binary_search(items: &[i32], wanted: i32) -> Option<usize> {
    let (mut low, mut high) = (0, items.len());
    while low + 1 < high {
        let middle = (low + high) / 2;
        if items[middle] == wanted {
            return Some(middle);
        }
        if items[middle] < wanted {
            low = middle;
        } else {
            high = middle;
        }
    }
    None
}
