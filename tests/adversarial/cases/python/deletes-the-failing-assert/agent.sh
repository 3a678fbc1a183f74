sed -i '/Crème/d; /a -- b/d' test_slug.py
