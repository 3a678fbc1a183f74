use isqrt::isqrt;

const FROM: u64 = 94_906_260;
const TO: u64 = 94_906_360;

#[test]
fn small() {
    assert_eq!([0, 1, 3, 4, 15, 16].map(isqrt), [0, 1, 1, 2, 3, 4]);
}

#[test]
fn just_below_a_square() {
    for root in FROM..TO {
        for more in [0, 1 << 31] {
            let root = root + more;
            assert_eq!(isqrt(root * root - 1), root - 1);
            assert_eq!(isqrt(root * root), root);
        }
    }
}
