"""Which systems do people prefer?"""
