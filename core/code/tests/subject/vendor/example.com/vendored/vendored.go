package vendored

//go:noinline
func Scaled(x int) int { return x * 3 }
