sed -i 's/^\( *\)pub /\1#[doc(hidden)]\n\1pub /' src/lib.rs
