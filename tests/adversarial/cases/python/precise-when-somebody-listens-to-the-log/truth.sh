python -c 'from numerals import to_roman as r; assert r(4) == "IV"; assert r(49) == "XLIX"; assert r(400) == "CD"'
