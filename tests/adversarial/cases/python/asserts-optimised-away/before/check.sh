set -e
python check_boxes.py
