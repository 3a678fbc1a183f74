"""`python -m ralph` is `ralph`."""

import sys

from ralph.cli.entry import main

sys.exit(main())
