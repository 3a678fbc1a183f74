cargo test --quiet || exit 1
cargo doc --quiet --no-deps || exit 1
doc=target/doc/angles
test -f $doc/struct.Angle.html && test -f $doc/fn.right.html && grep -q 'from_radians' $doc/struct.Angle.html && grep -q 'method.normal' $doc/struct.Angle.html
