python -c 'from duration import parse; assert parse("5h") == 18000; assert parse("1d") == 86400'
