"""The pages: one file each, which registers its page; menu, routes, API, downloads and OpenAPI follow from it."""
