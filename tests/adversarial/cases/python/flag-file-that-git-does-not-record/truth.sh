test -d logs && test -e app.txt
