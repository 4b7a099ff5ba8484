package testing

import (
	"internal/race"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
)

// tareFacts says what the figures depend on, and what makes them worthless: the race detector, a build without optimisation,
// coverage counters.
func tareFacts() []string {
	facts := []string{
		"os=" + runtime.GOOS,
		"architecture=" + runtime.GOARCH,
		"compiler=" + runtime.Compiler,
		"GOMAXPROCS=" + strconv.Itoa(runtime.GOMAXPROCS(0)),
		"cpus=" + strconv.Itoa(runtime.NumCPU()),
		"frame_pointers=" + tareFramePointers(),
	}
	for _, setting := range []struct{ name, otherwise string }{
		{"GOGC", "100"}, {"GOMEMLIMIT", "off"}, {"GODEBUG", ""}, {"GOEXPERIMENT", ""},
	} {
		value := os.Getenv(setting.name)
		if value == "" {
			value = setting.otherwise
		}
		if value != "" {
			facts = append(facts, setting.name+"="+value)
		}
	}
	optimised := "yes"
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, setting := range info.Settings {
			switch setting.Key {
			case "-gcflags":
				if strings.Contains(setting.Value, "-N") || strings.Contains(setting.Value, "-l") {
					optimised = "no: " + setting.Value
				}
				facts = append(facts, setting.Key+"="+setting.Value)
			case "-ldflags", "-buildmode", "GOAMD64", "GOARM64", "CGO_ENABLED", "-pgo", "-cover", "-tags":
				facts = append(facts, setting.Key+"="+setting.Value)
			}
		}
	}
	facts = append(facts, "optimised="+optimised, "race="+tareYes(race.Enabled))
	return append(facts, "stopped-timer="+tareStoppedTimer)
}

// tareFramePointers says whether functions keep the frame pointer: by the compiler's rule for the architecture (cmd/internal/obj,
// internal/buildcfg), unless an experiment turned that off.
func tareFramePointers() string {
	if runtime.Compiler != "gc" {
		return "unknown"
	}
	if strings.Contains(os.Getenv("GOEXPERIMENT"), "noframepointer") {
		return "omitted"
	}
	switch runtime.GOARCH {
	case "amd64", "arm64":
		return "kept"
	}
	return "omitted"
}

func tareYes(flag bool) string {
	if flag {
		return "yes"
	}
	return "no"
}
