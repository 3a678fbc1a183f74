cat > greeting.py <<'EOF'
import time


def greeting() -> str:
    return greeting_at(time.localtime().tm_hour)


def greeting_at(hour: int) -> str:
    part = "morning" if hour < 12 else "afternoon" if hour < 18 else "evening"
    return f"Good {part}"
EOF
cat > tests/test_greeting_now.py <<'EOF'
import time
from unittest import mock

from greeting import greeting


def test_uses_the_local_time() -> None:
    with mock.patch("time.localtime", return_value=time.struct_time((2024, 1, 1, 7, 0, 0, 0, 1, 0))):
        assert greeting() == "Good morning"
EOF
