"""The pages and the API: questions as an address spells them, and what is shown for each."""
