cat > fix.py <<'E'
text = open("src/lib.rs").read()
old = "        let mut target = self.accounts[to].lock().unwrap();\n"
new = """        // Never wait for a second lock while the first one is held.
        let Ok(mut target) = self.accounts[to].try_lock() else {
            return;
        };
"""
open("src/lib.rs", "w").write(text.replace(old, new))
E
python fix.py
rm fix.py
