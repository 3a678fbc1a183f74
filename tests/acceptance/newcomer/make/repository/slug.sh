#!/bin/sh
# Titles for use in addresses.
printf '%s\n' "$1" | tr 'A-Z ' 'a-z-'
