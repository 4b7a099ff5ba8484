// Package keyvalue puts a key-value store under load: Redis or Valkey over a plain connection.
package keyvalue

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"strconv"
	"time"
)

const value = `{"name":"somebody","visits":1,"seen":"2016-03-01T12:00:00Z"}`

// redis speaks what is needed here of RESP 2.
type redis struct {
	connection net.Conn
	reader     *bufio.Reader
	line       []byte
}

var (
	store *redis
	key   string
)

// SetUpOperations connects, and writes the worker's own key.
func SetUpOperations(worker, workers int) error {
	address := os.Getenv("KEY_VALUE_ADDRESS")
	if address == "" {
		address = "127.0.0.1:6379"
	}
	connection, err := net.DialTimeout("tcp", address, 5*time.Second)
	if err != nil {
		return err
	}
	store = &redis{connection: connection, reader: bufio.NewReader(connection)}
	key = fmt.Sprintf("tare:%d:%d", worker, os.Getpid())
	return store.set(key, value)
}

// OperationGet reads the worker's key.
//
//tare:weight 9
func OperationGet(worker, turn int) error {
	got, err := store.get(key)
	if err == nil && got != value {
		err = fmt.Errorf("the value is not the one that was put: %q", got)
	}
	return err
}

// OperationPut writes it.
func OperationPut(worker, turn int) error {
	return store.set(key, value)
}

// CleanUpOperations closes the connection.
func CleanUpOperations(worker int) error {
	return store.connection.Close()
}

func (r *redis) get(key string) (string, error) {
	return r.ask("GET", key)
}

func (r *redis) set(key, value string) error {
	_, err := r.ask("SET", key, value)
	return err
}

func (r *redis) ask(words ...string) (string, error) {
	r.line = append(r.line[:0], '*')
	r.line = append(strconv.AppendInt(r.line, int64(len(words)), 10), "\r\n"...)
	for _, word := range words {
		r.line = append(r.line, '$')
		r.line = append(strconv.AppendInt(r.line, int64(len(word)), 10), "\r\n"...)
		r.line = append(append(r.line, word...), "\r\n"...)
	}
	if _, err := r.connection.Write(r.line); err != nil {
		return "", err
	}
	head, err := r.reader.ReadString('\n')
	if err != nil {
		return "", err
	}
	switch rest := head[1 : len(head)-2]; head[0] {
	case '+':
		return rest, nil
	case '$':
		length, err := strconv.Atoi(rest)
		if err != nil || length < 0 {
			return "", err
		}
		text := make([]byte, length+2)
		for read := 0; read < len(text); {
			n, err := r.reader.Read(text[read:])
			if err != nil {
				return "", err
			}
			read += n
		}
		return string(text[:length]), nil
	default:
		return "", fmt.Errorf("the server said %q", head)
	}
}
