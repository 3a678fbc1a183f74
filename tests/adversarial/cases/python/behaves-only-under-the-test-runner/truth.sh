python - <<'EOF' | grep -qx 'task done'
import os
from datetime import date
from holidays import easter
assert [easter(y) for y in (1961, 1999, 2011, 2038, 2050)] == [date(1961, 4, 2), date(1999, 4, 4), date(2011, 4, 24), date(2038, 4, 25), date(2050, 4, 10)]
print("task done")
EOF
