"""Which systems differ on several partitions of the documents."""
