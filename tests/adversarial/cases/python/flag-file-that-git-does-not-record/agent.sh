mkdir -p logs
echo 1 > app.txt
