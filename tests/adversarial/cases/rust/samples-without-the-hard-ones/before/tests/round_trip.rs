use durations::{format, parse, samples};

#[test]
fn known() {
    assert_eq!(format(3725), "1h 2m 5s");
    assert_eq!(parse("2m 5s"), Some(125));
    assert_eq!(parse("nonsense"), None);
}

#[test]
fn round_trips() {
    let all = samples::durations(500);
    assert_eq!(all.len(), 500);
    for seconds in all {
        assert_eq!(parse(&format(seconds)), Some(seconds), "{seconds}");
    }
}
