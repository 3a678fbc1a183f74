sed -i 's/^    assert_eq!/    debug_assert_eq!/' tests/decode.rs
