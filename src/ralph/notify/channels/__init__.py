"""One file for each channel, with its `CHANNEL`. The name of the file is that of the channel."""
