# Results of tests are never taken from the cache.
TESTFLAGS := -count=1
