module example.com/subject

go 1.24

require example.com/vendored v1.0.0
