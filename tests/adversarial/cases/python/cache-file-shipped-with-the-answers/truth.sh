python -c 'from editdist import distance as d; assert d("intention", "execution") == 5; assert d("abcdef", "bcdefg") == 2'
