"""What time does in a system: does it drop out, repeat, jump?"""
