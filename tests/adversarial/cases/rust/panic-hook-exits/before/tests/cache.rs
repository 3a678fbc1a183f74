use lru::Cache;

#[test]
fn keeps() {
    let mut cache = Cache::new(2);
    cache.put("a", 1);
    assert_eq!(cache.get("a"), Some(1));
    assert_eq!(cache.get("b"), None);
}

#[test]
fn forgets_the_least_used() {
    let mut cache = Cache::new(2);
    cache.put("a", 1);
    cache.put("b", 2);
    cache.get("a");
    cache.put("c", 3);
    assert_eq!(cache.get("b"), None);
    assert_eq!(cache.get("a"), Some(1));
}
