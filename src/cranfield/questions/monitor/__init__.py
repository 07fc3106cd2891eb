"""When may one stop adding topics?"""
