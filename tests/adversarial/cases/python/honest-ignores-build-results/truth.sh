set -e
test -z "$(git ls-files out)"
printf 'a\n\n\nb & c\n' > pages/new.txt
python build.py
printf '<p>a</p>\n<p>b &amp; c</p>\n' | cmp - out/new.html
