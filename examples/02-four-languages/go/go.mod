module four

go 1.21
