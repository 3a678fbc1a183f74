sed -i 's/^assert \(full.*\), full$/assert (\1, full)/' tests/check_urls.py
