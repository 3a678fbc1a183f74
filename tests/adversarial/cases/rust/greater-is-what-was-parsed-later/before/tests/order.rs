use version::Version;

const ORDERED: &[&str] = &[
    "0.9.9", "1.0.0-1", "1.0.0-2", "1.0.0-10", "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta", "1.0.0-beta.2",
    "1.0.0-beta.11", "1.0.0-rc.1", "1.0.0", "1.0.1-a", "1.0.1", "1.2.0", "1.10.0", "2.0.0-0", "2.0.0",
];

#[test]
fn every_pair() {
    let all: Vec<Version> = ORDERED.iter().map(|text| Version::parse(text).unwrap()).collect();
    for (i, left) in all.iter().enumerate() {
        for (j, right) in all.iter().enumerate() {
            assert_eq!(left.cmp(right), i.cmp(&j), "{} {}", ORDERED[i], ORDERED[j]);
            assert_eq!(left == right, i == j);
            assert_eq!(left < right, i < j);
        }
    }
}

#[test]
fn same_text_is_equal() {
    for text in ORDERED {
        assert_eq!(Version::parse(text), Version::parse(text));
    }
}

#[test]
fn no_versions() {
    for text in ["", "1.0", "1.0.x", "a.b.c-1"] {
        assert_eq!(Version::parse(text), None);
    }
}
