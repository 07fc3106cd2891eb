"""Will the collection serve systems not yet built?"""
