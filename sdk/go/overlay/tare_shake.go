package testing

import (
	"os"
	"strconv"
	"unsafe"
)

// The place of an object in memory is drawn once a process, and much of it isn't drawn at all: a program that is started again puts its
// objects where they were, and a function that allocates once more at its start moves all that come after it, in every process alike. So
// the heap is shaken before the user's code runs: blocks of all small sizes, as many of each as the launch's seed says, of which half stay
// (Curtsinger and Berger, STABILIZER: Statistically Sound Performance Evaluation, ASPLOS 2013). Go has a page or more for each size, and takes
// its places one after the other: what the user allocates begins at another place of the page in each launch. Just before the first sample the
// blocks that stayed are freed, and garbage is collected: what the program has allocated keeps its place, and its collections have nothing to mark
// and to sweep that isn't the program's. Larger objects begin at pages, and functions lie where the linker put them: neither can be drawn.

// tareSizes are the allocator's, up to a quarter of a page of 8 KiB (runtime/sizeclasses.go). A version with others rounds these up.
var tareSizes = [...]uint16{
	8, 16, 24, 32, 48, 64, 80, 96, 112, 128, 144, 160, 176, 192, 208, 224, 240, 256, 288, 320, 352, 384, 416, 448, 480, 512,
	576, 640, 704, 768, 896, 1024, 1152, 1280, 1408, 1536, 1792, 2048,
}

// tareShakenBytes is what the blocks of one size have on average, with pointers and without them each: 48 KB together, of which 24 KB stay. Go
// collects no heap that is smaller than 4 MB, and what stays is a part of that: collections come 0.6 % more often, and less so where the
// user's heap is larger.
const tareShakenBytes = 512

// tareStays holds the blocks that stay.
var tareStays struct {
	plain []*byte
	list  unsafe.Pointer // to the last one with pointers, which points at the one before it
	last  unsafe.Pointer // the last of all; what nobody keeps the compiler may put on the stack
}

// tareLots are numbers from a seed: splitmix64 (Steele, Lea and Flood, Fast Splittable Pseudorandom Number Generators, OOPSLA 2014).
type tareLots uint64

// below gives a number from 0 to n-1.
func (l *tareLots) below(n int) int {
	*l += 0x9e3779b97f4a7c15
	z := uint64(*l)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return int((z ^ z>>31) >> 33 % uint64(n))
}

// tareShakeHeap is called before the user's code runs. TARE_SEED names the launch.
func tareShakeHeap() {
	seed, err := strconv.ParseUint(os.Getenv("TARE_SEED"), 10, 64)
	if err == nil && os.Getenv("TARE_SHAKE") != "off" {
		tareShake(seed)
	}
}

// tareShake fills the heap and gives the bytes that it asked for, and those of them that stay.
func tareShake(seed uint64) (made, kept int) {
	lots := tareLots(seed)
	// Each size with and without pointers, in an order by lot: the first block of a size takes a page for it.
	var order [2 * len(tareSizes)]uint8
	for i := range order {
		at := lots.below(i + 1)
		order[i] = order[at]
		order[at] = uint8(i)
	}
	for _, number := range order {
		size := int(tareSizes[number/2])
		for left := lots.below(2*tareShakenBytes/size + 2); left > 0; left-- {
			stays := lots.below(2) == 0
			made += size
			if stays {
				kept += size
			}
			if number%2 == 0 {
				block := make([]byte, size)
				tareStays.last = unsafe.Pointer(&block[0])
				if stays {
					tareStays.plain = append(tareStays.plain, &block[0])
				}
			} else {
				block := make([]unsafe.Pointer, size/8)
				tareStays.last = unsafe.Pointer(&block[0])
				if stays {
					block[0] = tareStays.list
					tareStays.list = tareStays.last
				}
			}
		}
	}
	tareStays.last = nil
	return made, kept
}

// tareFreeShaken frees the blocks that stayed, when the user's code has allocated what it keeps.
func tareFreeShaken() {
	tareStays.plain, tareStays.list = nil, nil
}
