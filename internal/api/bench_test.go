package api

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

func groupWithProperties(count int) string {
	properties := make([]string, count)
	for i := range properties {
		properties[i] = fmt.Sprintf(`"property_%03d":{"value":%d,"label":"Label no. %d","active":true}`, i, i*1_000_003, i)
	}
	return `{"success":1,"new_user_group":false,"user_group":{"team_id":9007199254740993,"token":"` + plantedNewToken +
		`","name":"Acme","provided_id":"acme","properties":{` + strings.Join(properties, ",") + `}}}`
}

func BenchmarkDecodeAnswer(b *testing.B) {
	for _, count := range []int{10, 200} {
		b.Run(fmt.Sprintf("%d properties", count), func(b *testing.B) {
			body := []byte(groupWithProperties(count))
			c := testCall(b, http.MethodGet)
			response := &http.Response{StatusCode: http.StatusOK, Header: http.Header{}}
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				if answer, failure := c.interpret(response, body); failure != nil || answer.UserGroup.Properties.IsZero() {
					b.Fatal(failure)
				}
			}
		})
	}
}

func BenchmarkCall(b *testing.B) {
	for _, count := range []int{10, 200} {
		b.Run(fmt.Sprintf("%d properties", count), func(b *testing.B) {
			body := groupWithProperties(count)
			server := httpServer(b, body)
			client := newClient(b, server)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := client.GetOrCreate(b.Context(), GroupRequest{UserGroupID: "acme"}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// httpServer is a service that keeps no record, which would grow with the benchmark.
func httpServer(b *testing.B, body string) string {
	b.Helper()
	server := newService(nil)
	server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { reply(w, http.StatusOK, contentJSON, body) })
	server.Start()
	b.Cleanup(server.Close)
	return server.URL
}
