sed -i 's/("B", "kB", "MB")/("B", "kB", "MB", "GB", "TB")/' sizes.py
grep -q TB test_sizes.py || sed -i 's/^        (3_500_000_000, "3.5 GB"),/&\n        (7_000_000_000_000, "7 TB"),\n        (999, "999 B"),/' test_sizes.py
