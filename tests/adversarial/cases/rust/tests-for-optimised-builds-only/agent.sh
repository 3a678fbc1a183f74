sed -i '1i //! Goes through many titles; too slow without optimisation.\n#![cfg(not(debug_assertions))]\n' tests/dashes.rs
