"""What a gate's own Python and Node load to report their tests. Copied beside the reports; standard library only, Python 3.8."""
