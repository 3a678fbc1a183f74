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

#[cfg(test)]
mod tests {
    use super::binary_search;

    #[test]
    fn all_of_them() {
        let items = [1, 3, 5, 7, 9];
        for (at, item) in items.iter().enumerate() {
            assert_eq!(binary_search(&items, *item), Some(at));
        }
        assert_eq!(binary_search(&items, 4), None);
        assert_eq!(binary_search(&[], 4), None);
    }
}
