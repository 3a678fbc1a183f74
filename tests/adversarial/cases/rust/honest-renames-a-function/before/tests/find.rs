use find::binary_search;

#[test]
fn all_of_them() {
    let items = [1, 3, 5, 7, 9];
    for (at, item) in items.iter().enumerate() {
        assert_eq!(binary_search(&items, *item), Some(at));
    }
    assert_eq!(binary_search(&items, 4), None);
    assert_eq!(binary_search(&[], 4), None);
}
