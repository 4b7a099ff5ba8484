module tare.example/stoppedtimer

go 1.21
