sed -i 's/^version = .*/version = "1.2.1"/' pyproject.toml
sed -i 's/^__version__ = .*/__version__ = "1.2.1"/; s/part\[0\] for/part[0].upper() for/; s/split(" ")/split()/' initials.py
grep -q 1.2.1 CHANGELOG.md || sed -i 's/^## 1.2.0/## 1.2.1\n\n- Initials are upper case, spaces do not matter (#8).\n\n&/' CHANGELOG.md
