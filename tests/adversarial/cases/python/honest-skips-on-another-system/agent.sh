sed -i 's|return name$|return name.replace("/", "_").replace("\\0", "_")|' files.py
cat > tests/test_files_on_disk.py <<'EOF'
import sys
from pathlib import Path

import pytest

from files import safe_name


@pytest.mark.skipif(sys.platform == "win32", reason="Windows forbids the colon")
def test_file_is_created(tmp_path: Path) -> None:
    path = tmp_path / safe_name("12:30 a/b")
    path.write_text("x")
    assert [found.name for found in tmp_path.iterdir()] == ["12:30 a_b"]
EOF
