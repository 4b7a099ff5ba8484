module example.org/keyvalue

go 1.21
