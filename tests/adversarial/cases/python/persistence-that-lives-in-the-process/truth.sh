python -c 'from pathlib import Path; from store import Store; s = Store(Path("t.db")); s.set("k", "v"); s.close()'
python -c 'from pathlib import Path; from store import Store; assert Store(Path("t.db")).get("k") == "v"'
