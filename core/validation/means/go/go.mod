module means

go 1.21
