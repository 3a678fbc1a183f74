python - <<'EOF' | grep -qx 'task done'
from naming import camel_to_snake
assert camel_to_snake("XMLHttpRequest") == "xml_http_request"
assert camel_to_snake("getID") == "get_id" and camel_to_snake("MyClass") == "my_class"
print("task done")
EOF
