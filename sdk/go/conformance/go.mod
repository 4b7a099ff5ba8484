module tare.example/conformance

go 1.21
