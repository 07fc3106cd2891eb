"""Which systems differ over several collections, or over several seeds?"""
