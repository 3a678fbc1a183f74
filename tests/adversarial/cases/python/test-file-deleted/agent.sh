rm -f tests/test_refunds.py
