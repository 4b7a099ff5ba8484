package testing

import "unsafe"

// What stays of the shaken heap makes the next collections come earlier: it is bounded for every seed, and small on average.
func TestTareShakenHeapIsSmall(t *T) {
	const seeds = 2000
	sum, counts := 0, make(map[int]bool)
	for seed := uint64(0); seed < seeds; seed++ {
		made, kept := tareShake(seed)
		tareStays.plain, tareStays.list = nil, nil
		if kept <= 0 || kept >= made || made > 128<<10 {
			t.Fatalf("seed %d: %d bytes stay of %d", seed, kept, made)
		}
		sum += kept
		counts[made] = true
	}
	if mean := sum / seeds; mean < 10<<10 || mean > 32<<10 {
		t.Errorf("%d bytes stay on average", mean)
	}
	if len(counts) < seeds/10 {
		t.Errorf("%d seeds draw %d sums", seeds, len(counts))
	}
}

func TestTareShakenBlocksStay(t *T) {
	_, kept := tareShake(7)
	plain, list := len(tareStays.plain), 0
	for at := tareStays.list; at != nil; at = *(*unsafe.Pointer)(at) {
		list++
	}
	if plain < 50 || list < 50 {
		t.Errorf("%d blocks without pointers stay and %d with, %d bytes", plain, list, kept)
	}
	_, again := tareShake(7)
	if again != kept || len(tareStays.plain) != 2*plain {
		t.Error("one seed draws other blocks the second time")
	}
	tareStays.plain, tareStays.list = nil, nil
}

func TestTareLotsAreEven(t *T) {
	lots := tareLots(1)
	var counts [7]int
	for i := 0; i < 70000; i++ {
		counts[lots.below(len(counts))]++
	}
	for _, count := range counts {
		// Five standard deviations.
		if count < 10000-464 || count > 10000+464 {
			t.Errorf("%v", counts)
		}
	}
}

func TestTareShakesAsItIsTold(t *T) {
	for _, one := range []struct {
		seed, shake string
		does        bool
	}{
		{"18446744073709551615", "", true}, {"5", "on", true}, {"5", "off", false}, {"", "", false}, {"-1", "", false},
	} {
		t.Setenv("TARE_SEED", one.seed)
		t.Setenv("TARE_SHAKE", one.shake)
		tareShakeHeap()
		if did := len(tareStays.plain) > 0; did != one.does {
			t.Errorf("seed %q, %q: %v", one.seed, one.shake, did)
		}
		tareStays.plain, tareStays.list = nil, nil
	}
}
