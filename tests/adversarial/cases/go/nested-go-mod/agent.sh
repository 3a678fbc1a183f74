cat > cache/go.mod <<'E'
module example.com/web/cache

go 1.21
E
