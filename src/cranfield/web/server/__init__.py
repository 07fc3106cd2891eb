"""The server: application, security, limits, jobs, stored data, archives and isolated processes."""
