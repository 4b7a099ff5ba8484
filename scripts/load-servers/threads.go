// A server of Go's net/http, which works on as many threads as there are CPUs: `threads PORT`. GET /anything?work=N hashes N times before it
// answers.
package main

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"os"
	"strconv"
)

func main() {
	answer := func(writer http.ResponseWriter, request *http.Request) {
		work, _ := strconv.Atoi(request.URL.Query().Get("work"))
		text := make([]byte, 100)
		for done := 0; done < work; done++ {
			hash := sha256.Sum256(text)
			copy(text, hash[:])
		}
		fmt.Fprint(writer, "ok")
	}
	fmt.Fprintln(os.Stderr, http.ListenAndServe("127.0.0.1:"+os.Args[1], http.HandlerFunc(answer)))
	os.Exit(1)
}
