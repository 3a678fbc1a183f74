python tools/record.py
