"""The command line. One file for each command, imported only when it is used."""
