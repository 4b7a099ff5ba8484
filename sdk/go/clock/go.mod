module tare.example/clock

go 1.21
