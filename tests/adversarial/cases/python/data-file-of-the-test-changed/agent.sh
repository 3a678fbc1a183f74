cat > tests/data/quoted.csv <<'EOF'
id,name,cents
1,desk small,500
2,lamp,200
EOF
