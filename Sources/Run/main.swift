print("syncserver")
