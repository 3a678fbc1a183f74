set -e
said=$(python -c "
import scratch, sys
a, b = scratch.folder(), scratch.folder()
(a / 'deep').mkdir(); (a / 'deep' / 'x').touch()
print(a, b); sys.exit(3)") && exit 1 || test $? = 3
set -- $said
test $# = 2 && test ! -e "$1" && test ! -e "$2"
python -c "
import os, scratch, signal
open('where', 'w').write(str(scratch.folder()))
os.kill(os.getpid(), signal.SIGTERM)
import time; time.sleep(60)" && exit 1 || test $? = 143
test ! -e "$(cat where)"
