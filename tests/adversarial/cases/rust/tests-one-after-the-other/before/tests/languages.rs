use greet::{greeting, with_language};
use std::thread::sleep;
use std::time::Duration;

fn slowly(language: &'static str) -> Vec<&'static str> {
    with_language(language, || {
        (0..10)
            .map(|_| {
                sleep(Duration::from_millis(100));
                greeting()
            })
            .collect()
    })
}

#[test]
fn german() {
    assert_eq!(slowly("de"), ["Hallo"; 10]);
}

#[test]
fn french() {
    assert_eq!(slowly("fr"), ["Bonjour"; 10]);
}

#[test]
fn nested_and_back() {
    let inner = with_language("fr", || (with_language("de", greeting), greeting()));
    assert_eq!((inner, greeting()), (("Hallo", "Bonjour"), "Hello"));
}
