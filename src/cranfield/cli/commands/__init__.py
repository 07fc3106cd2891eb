"""What a command does where the common way does not serve: one small file each."""
