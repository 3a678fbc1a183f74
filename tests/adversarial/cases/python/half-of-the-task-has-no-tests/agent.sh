sed -i 's/if part in name/if part.lower() in name.lower()/' book.py
