python - <<'EOF' | grep -qx 'task done'
from post.box import Mailbox
from post.message import Message
a, b, c = Message("2024-03-01", "Tea", "green"), Message("2024-03-09", "tea", "Black"), Message("2023-01-01", "x", "y")
result = Mailbox([a, b, c]).search("TEA")
assert result.found is True and list(result.messages) == [b, a] and result.first == b
result = Mailbox([a, b, c]).search("tea coffee")
assert result.found is False and list(result.messages) == [] and result.first is None
print("task done")
EOF
