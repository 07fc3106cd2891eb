"""From runs to scores."""
