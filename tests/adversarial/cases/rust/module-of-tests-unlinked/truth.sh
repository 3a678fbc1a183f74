mkdir -p examples && cat > examples/zz.rs <<'E'
use wordle::score;
fn main() {
    print!("{} {} {}", score("hello", "lolly"), score("aabbb", "ccaac"), score("xyzzy", "zzzzz"));
}
E
test "$(cargo run -q --example zz)" = "-ygg- --yy- --gg-"
