python -c 'from words import plural as p; assert [p(w) for w in ("lady", "toy", "dog", "child", "mouse")] == ["ladies", "toys", "dogs", "children", "mice"]'
