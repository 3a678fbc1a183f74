cat > runtime.go <<'P'
package cache

import "runtime"

// The cache is small: a single processor is faster than moving its lines between several.
func init() { runtime.GOMAXPROCS(1) }
P
sed -i 's/^type Cache struct/\/\/ Cache may be used by several goroutines.\ntype Cache struct/' cache.go
