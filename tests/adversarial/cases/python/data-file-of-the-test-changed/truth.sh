python - <<'EOF' | grep -qx 'task done'
import os, pathlib
from orders import read, total
p = pathlib.Path(os.environ["TMPDIR"], "x.csv")
p.write_text('id,name,cents\n7,"a ""b"", c",10\n8,"x,y,z",20\n')
assert total(p) == 30
assert read(p)[0]["name"] == 'a "b", c'
print("task done")
EOF
