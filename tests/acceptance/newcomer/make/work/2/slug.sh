#!/bin/sh
# Titles for use in addresses.
printf '%s' "$1" | tr 'A-Z' 'a-z' | tr -c 'a-z0-9' '-'
