# Compares with what wc says.
cd "$(dirname "$0")"
status=0
for name in short umlauts; do
  case $name in
    short) expected="1 2 9 short.txt" ;;
    umlauts) expected="2 8 51 umlauts.txt" ;;
  esac
  actual=$(node ../bin/wc.js $name.txt)
  if [ "$actual" != "$expected" ]; then
    echo "$name: $actual instead of $expected"
    status=1
  fi
done
exit $status
