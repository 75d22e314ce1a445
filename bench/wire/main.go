// Command wire makes the calls of an operation in a plain loop with as many workers as the engine has: what it takes is
// what the wire takes. It shares nothing with the provider.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
)

func main() {
	url := flag.String("url", "", "address of the service")
	key := flag.String("key", "", "its key")
	count := flag.Int("n", 100, "number of groups")
	workers := flag.Int("workers", 10, "calls at once")
	operation := flag.String("operation", "apply", "apply, plan, rotate or destroy")
	flag.Parse()
	transport := &http.Transport{MaxIdleConnsPerHost: *workers}
	l := &loop{url: *url + "/api/user", key: *key, workers: *workers, client: &http.Client{Transport: transport}}
	if err := l.run(*operation, *count); err != nil {
		fmt.Fprintln(os.Stderr, "wire:", err)
		os.Exit(1)
	}
}

type loop struct {
	url, key string
	workers  int
	client   *http.Client
}

// run makes the calls in the waves in which an engine makes them: a refresh of all, then the change of all.
func (l *loop) run(operation string, count int) error {
	tokens := make([]string, count)
	look := func(i int) (err error) {
		tokens[i], err = l.call(http.MethodGet, map[string]any{"user_group_id": id(i)})
		return err
	}
	switch operation {
	case "apply":
		return l.each(count, func(i int) error {
			_, err := l.call(http.MethodGet, map[string]any{
				"user_group_id": id(i), "name": "Customer " + id(i), "mapping": map[string]string{"main": "source-" + id(i)},
				"properties": map[string]any{"tier": "gold", "seats": i, "region": "eu"},
			})
			return err
		})
	case "plan":
		return l.each(count, look)
	case "rotate":
		if err := l.each(count, look); err != nil {
			return err
		}
		return l.each(count, func(i int) error {
			_, err := l.call(http.MethodPost, map[string]any{"current_token": tokens[i]})
			return err
		})
	case "destroy":
		if err := l.each(count, look); err != nil {
			return err
		}
		return l.each(count, func(i int) error {
			_, err := l.call(http.MethodDelete, map[string]any{"user_group_id": id(i), "current_token": tokens[i]})
			return err
		})
	default:
		return fmt.Errorf("no operation %q", operation)
	}
}

func id(i int) string { return fmt.Sprintf("customer-%05d", i) }

func (l *loop) each(count int, work func(int) error) error {
	jobs := make(chan int)
	failures := make(chan error, l.workers)
	var wg sync.WaitGroup
	for range l.workers {
		wg.Go(func() {
			for i := range jobs {
				if err := work(i); err != nil {
					select {
					case failures <- err:
					default:
					}
				}
			}
		})
	}
	for i := range count {
		jobs <- i
	}
	close(jobs)
	wg.Wait()
	select {
	case err := <-failures:
		return err
	default:
		return nil
	}
}

func (l *loop) call(method string, body any) (token string, err error) {
	text, err := json.Marshal(body)
	if err != nil {
		return "", err
	}
	request, err := http.NewRequestWithContext(context.Background(), method, l.url, strings.NewReader(string(text)))
	if err != nil {
		return "", err
	}
	request.Header.Set("Authorization", "Token "+l.key)
	request.Header.Set("Content-Type", "application/json")
	response, err := l.client.Do(request)
	if err != nil {
		return "", err
	}
	defer func() { _ = response.Body.Close() }()
	said, err := io.ReadAll(response.Body)
	if err != nil {
		return "", err
	}
	var answer struct {
		Success   int `json:"success"`
		UserGroup struct {
			Token string `json:"token"`
		} `json:"user_group"`
	}
	if err := json.Unmarshal(said, &answer); err != nil || answer.Success != 1 {
		return "", fmt.Errorf("%s: status %d", method, response.StatusCode)
	}
	return answer.UserGroup.Token, nil
}
