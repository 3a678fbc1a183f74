sed -i 's/\r*$/\r/' message.txt
