package subject

import "testing"

var sum int

func run(b *testing.B, function func(int) int) {
	for i := range b.N {
		sum += function(i)
	}
}

func BenchmarkUntouched(b *testing.B)  { run(b, untouched) }
func BenchmarkExecuted(b *testing.B)   { run(b, executed) }
func BenchmarkConstant(b *testing.B)   { run(b, constant) }
func BenchmarkInlined(b *testing.B)    { run(b, inlined) }
func BenchmarkInterfaced(b *testing.B) { run(b, interfaced) }
func BenchmarkReflected(b *testing.B)  { run(b, reflected) }
func BenchmarkGeneric(b *testing.B)    { run(b, generic) }
func BenchmarkClosure(b *testing.B)    { run(b, closure) }
func BenchmarkInitial(b *testing.B)    { run(b, initial) }
func BenchmarkEmbeds(b *testing.B)     { run(b, embeds) }
func BenchmarkAssembled(b *testing.B)  { run(b, assembled) }
func BenchmarkLinknamed(b *testing.B)  { run(b, hidden) }
func BenchmarkVendored(b *testing.B)   { run(b, fromVendor) }
func BenchmarkRegistered(b *testing.B) { run(b, registered) }
func BenchmarkCaller(b *testing.B)     { run(b, caller) }
func BenchmarkAsks(b *testing.B)       { run(b, asks) }
func BenchmarkCounts(b *testing.B)     { run(b, counts) }
