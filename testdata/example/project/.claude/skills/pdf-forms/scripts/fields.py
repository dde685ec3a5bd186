print("name, date, signature")
