"""What is worth telling people, and the channels by which they are told. The driver starts and ends the processes."""
