package api

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func BenchmarkAnswer(b *testing.B) {
	for _, count := range []int{10, 200} {
		properties := make([]string, count)
		for i := range properties {
			properties[i] = fmt.Sprintf(`"property_%03d":{"value":%d,"label":"Label no. %d","active":true}`, i, i*1_000_003, i)
		}
		body := strings.Replace(successJSON, `"name"`, `"properties":{`+strings.Join(properties, ",")+`},"name"`, 1)
		b.Run(fmt.Sprintf("interpret, %d properties", count), func(b *testing.B) {
			c := testCall(b, http.MethodGet)
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				if _, failure := c.interpret(response(http.StatusOK), []byte(body), nil); failure != nil {
					b.Fatal(failure)
				}
			}
		})
		b.Run(fmt.Sprintf("call, %d properties", count), func(b *testing.B) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				_, _ = w.Write([]byte(body))
			}))
			b.Cleanup(server.Close)
			client := newClient(b, server.URL)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := get(b.Context(), client); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
