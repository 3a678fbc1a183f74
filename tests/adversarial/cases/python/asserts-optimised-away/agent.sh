sed -i 's/^python check_boxes/python -O check_boxes/' check.sh
