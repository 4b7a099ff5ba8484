package testing

import "strconv"

func tareBadRequest(message string) *tareFault {
	return &tareFault{kind: "bad-request", message: message}
}

func (r *tareRequest) wrong(key, what string) *tareFault {
	if _, there := r.values[key]; !there {
		return tareBadRequest("`" + r.frame + "` has no `" + key + "`, which is " + what + ".")
	}
	return tareBadRequest("`" + key + "` of `" + r.frame + "` isn't " + what + ".")
}

func (r *tareRequest) textOf(key string) (string, *tareFault) {
	if value := r.values[key]; value.kind == tareString {
		return value.text, nil
	}
	return "", r.wrong(key, "a string")
}

// optionalText is empty where the key is missing.
func (r *tareRequest) optionalText(key string) (string, *tareFault) {
	if _, there := r.values[key]; !there {
		return "", nil
	}
	return r.textOf(key)
}

// number is from 0 to most.
func (r *tareRequest) number(key string, most int64) (int64, *tareFault) {
	if value := r.values[key]; value.kind == tareInteger && value.integer >= 0 && value.integer <= most {
		return value.integer, nil
	}
	return 0, r.wrong(key, "an integer from 0 to "+strconv.FormatInt(most, 10))
}

// between is from least to most.
func (r *tareRequest) between(key string, least, most int64) (int64, *tareFault) {
	if value := r.values[key]; value.kind == tareInteger && value.integer >= least && value.integer <= most {
		return value.integer, nil
	}
	return 0, r.wrong(key, "an integer from "+strconv.FormatInt(least, 10)+" to "+strconv.FormatInt(most, 10))
}

func (r *tareRequest) texts(key string) ([]string, *tareFault) {
	if value := r.values[key]; value.kind == tareStrings {
		return value.texts, nil
	}
	return nil, r.wrong(key, "an array of at least one string")
}

// counts are the iterations of a `run`. A bare call is none that testing.B can make: a benchmark function has its loop inside.
func (r *tareRequest) counts(zero bool) ([]int64, *tareFault) {
	value := r.values["iterations"]
	if value.kind != tareIntegers || len(value.integers) == 0 || len(value.integers) > tareMostSamples {
		return nil, r.wrong("iterations", "an array of 1 to 100000 integers")
	}
	for _, count := range value.integers {
		if count < 0 || int64(int(count)) != count {
			return nil, r.wrong("iterations", "an array of numbers of calls")
		}
		if count == 0 && !zero {
			return nil, tareBadRequest("`iterations` of 0 need the capability `bare`, which this worker doesn't have.")
		}
	}
	return value.integers, nil
}
