"""trec_eval's own command line: its flags, its measures, its lines."""
