python - <<'P'
text = open("export.py").read()
text = text.replace("        self.thread.start()\n", "        self.thread.start()\n        self.status = \"done\"\n")
open("export.py", "w").write(text)
P
