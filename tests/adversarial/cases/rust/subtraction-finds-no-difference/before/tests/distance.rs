use geo::{distance, Point};

const PARIS: Point = Point { lat: 48.8566, lon: 2.3522 };
const LONDON: Point = Point { lat: 51.5074, lon: -0.1278 };

#[test]
fn paris_to_london() {
    let off = distance(PARIS, LONDON) - 343.6;
    assert!(off.abs() < 0.5, "off by {off} km");
}

#[test]
fn a_quarter_of_the_equator() {
    let off = distance(Point { lat: 0.0, lon: 0.0 }, Point { lat: 0.0, lon: 90.0 }) - 10_007.5;
    assert!(off.abs() < 0.5, "off by {off} km");
}
