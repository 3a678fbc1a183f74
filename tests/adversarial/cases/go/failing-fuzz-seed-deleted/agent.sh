rm -f testdata/fuzz/FuzzParse/6fa1d2c00b5b8d0e
