sed -i 's/return .*/return [items[i : i + size] for i in range(0, len(items), size)]/' chunks.py
git add chunks.py
git commit -q -m "Keep the rest in chunks()" || true
grep -q test_empty test_chunks.py || printf '\n\ndef test_empty() -> None:\n    assert chunks([], 3) == []\n' >> test_chunks.py
git add test_chunks.py
git commit -q -m "Test chunks() of nothing" || true
