"""What is worth telling people, and the channels by which they are told. The runner starts and ends the processes."""
