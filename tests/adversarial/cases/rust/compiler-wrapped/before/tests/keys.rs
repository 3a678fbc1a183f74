use scale::notes;

#[test]
fn c_and_g() {
    assert_eq!(notes("C").concat(), "CDEFGAB");
    assert_eq!(notes("G").concat(), "GABCDEF#");
}
