package api

import (
	"bufio"
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflogtest"
	"golang.org/x/time/rate"
)

// certificate returns a self-signed certificate for service.example and 127.0.0.1, valid until the given time from now.
func certificate(until time.Duration, names ...string) (tls.Certificate, *x509.CertPool) {
	_, key, _ := ed25519.GenerateKey(nil)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), NotBefore: time.Now().Add(-2 * hour),
		NotAfter: time.Now().Add(until), IsCA: true, BasicConstraintsValid: true,
		DNSNames:    append(names, "service.example")[:max(len(names), 1)],
		IPAddresses: []net.IP{{127, 0, 0, 1}},
	}
	der, _ := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	leaf, _ := x509.ParseCertificate(der)
	pool := x509.NewCertPool()
	pool.AddCert(leaf)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}, pool
}

// succeeding is a server that understands neither HTTP/2 nor what is meant for a proxy.
func succeeding() *http.Server {
	return &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor != 1 || r.Header.Get("Proxy-Authorization") != "" {
			w.WriteHeader(http.StatusTeapot)
		}
		_, _ = io.WriteString(w, successJSON)
	})}
}

// way is how a way to a service ends: in a success, or before the request is sent.
type way struct {
	attempts int    // the expected number, or 0 for a success
	advice   string // what to do
	reason   string // a part of it
}

// try makes all calls.
func (w way) try(
	t *testing.T, reachable hosts, address string, trusted *x509.CertPool, presented *tls.Certificate,
) {
	t.Helper()
	var log bytes.Buffer
	for _, call := range fourCalls {
		client := reachable.client(t, func(c *Config) {
			c.URL, _ = ParseBaseURL(address, true)
			c.RetryWaitMax, c.RootCAs, c.ClientCertificate = time.Millisecond, trusted, presented
		})
		_, failure, kind := call.send(tflogtest.RootLogger(t.Context(), &log), client.Begin(nil))
		if w.attempts == 0 && failure == nil {
			continue
		}
		want := Blocked
		if w.attempts > 1 {
			want = NotSent
		}
		if kind != want || failure.Attempts != w.attempts || failure.Done != No ||
			failure.advice != w.advice || !strings.Contains(failure.Reason, w.reason) {
			t.Errorf("%s: kind %s: %+v; want %+v", call.method, kind, failure, w)
			continue
		}
		wantAbsent(t, "the error or the log", printed(failure)+log.String(), "pa%2Fss", "pa/ss", plantedKey, plantedToken)
	}
}

// TestTLS: a failed TLS connection must not count as a lost call or be retried, and the error must name the obstacle.
func TestTLS(t *testing.T) {
	t.Parallel()
	server, trusted := certificate(hour)
	expired, expiredPool := certificate(-hour)
	client, clients := certificate(hour)
	const unverified, refused = "the certificate could not be verified: x509: ",
		"the server refused the TLS connection: tls: "
	for _, test := range []struct {
		way
		server    tls.Certificate
		trusted   *x509.CertPool
		version   uint16
		clients   *x509.CertPool // nil if the server does not ask for a certificate
		presented *tls.Certificate
	}{
		{way{}, server, trusted, tls.VersionTLS13, nil, nil},
		{way{1, adviceCertificate, unverified + "certificate signed by"}, server, clients, tls.VersionTLS13, nil, nil},
		{way{1, adviceCertificate, unverified}, expired, expiredPool, tls.VersionTLS13, nil, nil},
		{way{1, adviceTLS, refused + "protocol version"}, server, trusted, tls.VersionTLS11, nil, nil},
		{way{}, server, trusted, tls.VersionTLS13, clients, &client},
		{way{}, server, trusted, tls.VersionTLS12, clients, &client},
		{way{1, adviceTLS, refused + "certificate required"}, server, trusted, tls.VersionTLS13, clients, nil},
		{way{1, adviceTLS, refused}, server, trusted, tls.VersionTLS12, clients, nil},
		{way{1, adviceTLS, refused}, server, trusted, tls.VersionTLS13, clients, &expired},
	} {
		config := &tls.Config{
			Certificates: []tls.Certificate{test.server}, MinVersion: test.version, MaxVersion: test.version,
			ClientCAs: test.clients, NextProtos: []string{"h2", "http/1.1"},
		}
		if test.clients != nil {
			config.ClientAuth = tls.RequireAndVerifyClientCert
		}
		reachable := hosts{"service.example:443": serve(t, config, succeeding())}
		test.try(t, reachable, "https://service.example", test.trusted, test.presented)
	}
	// A reason may quote a certificate, but no secret in it.
	named, trusted := certificate(hour, plantedKey)
	quoting := hosts{"service.example:443": serve(t, &tls.Config{Certificates: []tls.Certificate{named}}, succeeding())}
	_, failure, _ := get.make(quoting.client(t, func(c *Config) {
		c.URL, _ = ParseBaseURL("https://service.example", false)
		c.RootCAs = trusted
	}))
	failIf(t, !strings.Contains(failure.Reason, "is valid for (secret), not"), "the reason is %q", failure.Reason)
	// An alert that refuses a new connection shows that the request was not read, even if it arrives after the request was
	// written. On a connection that was used before, it shows nothing, nor does another alert.
	for _, test := range []struct {
		alert  tls.AlertError
		op     string
		reused bool
		want   Kind
	}{
		{42, "remote error", false, Blocked},
		{42, "remote error", true, Cut},
		{80, "remote error", false, Cut},
		{42, "local error", false, Cut},
	} {
		var connection connection
		connection.made.Store(true)
		connection.reused.Store(test.reused)
		alert := fmt.Errorf("read: %w", &net.OpError{Op: test.op, Err: test.alert})
		failure := newClient(nil).transportFailure(t.Context(), call{known: nothingKnown}, alert, &connection)
		same(t, fmt.Sprint(test), failure.Kind, test.want)
	}
}

// converse starts a server that talks on each connection in its own way.
func converse(t *testing.T, talk func(net.Conn)) (listener pipes) {
	t.Helper()
	listener = make(pipes)
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for conn := range listener {
			go talk(conn)
		}
	}()
	return listener
}

// saying reads a request, says something else than a response, and closes the connection.
func saying(words string) func(net.Conn) {
	return func(conn net.Conn) {
		defer conn.Close()
		_, _ = http.ReadRequest(bufio.NewReader(conn))
		_, _ = io.WriteString(conn, words)
	}
}

// TestNotHTTP: the error must say how a response begins that is not one of HTTP/1.1, and what TLS refuses.
func TestNotHTTP(t *testing.T) {
	t.Parallel()
	const settings = "\x00\x00\x06\x04\x00\x00\x00\x00\x00\x00\x05\x00\x00@\x00"
	for _, words := range []string{
		"", "H", "HTTP/1.1 200 OK\r\nno header\r\n\r\n", "SSH-2.0-OpenSSH_9.9\r\n", settings + "\n", "220 mail\r\n",
	} {
		client := hosts{"127.0.0.1:80": converse(t, saying(words))}.client(t, func(c *Config) {
			c.URL, _ = ParseBaseURL("http://127.0.0.1", true)
			c.MaxRetries = 0
		})
		for _, call := range fourCalls {
			_, failure, kind := call.make(client)
			isQuoted := words == "" || words[0] == 'H' || strings.Contains(failure.Reason, "malformed HTTP")
			failIf(t, kind != Cut || failure.Done != Maybe || !isQuoted, "%q: %+v", words, failure)
		}
	}
	certificate, trusted := certificate(hour)
	other := &tls.Config{Certificates: []tls.Certificate{certificate}, NextProtos: []string{"x"}}
	way{1, adviceTLS, "the server refused the TLS connection: tls: no application protocol"}.try(t,
		hosts{"127.0.0.1:443": serve(t, other, succeeding())}, "https://127.0.0.1", trusted, nil)
	ssh := converse(t, saying("SSH-2.0-OpenSSH_9.9\r\n"))
	way{1, adviceTLS, "the server does not speak TLS"}.try(t, hosts{"127.0.0.1:443": ssh}, "https://127.0.0.1", nil, nil)
}

// TestIdleConnections: a lookup must not use a connection that a server may have closed unannounced.
func TestIdleConnections(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		connections, requests := 0, 0
		client := hosts{"127.0.0.1:80": converse(t, func(conn net.Conn) {
			connections++
			defer conn.Close()
			reader := bufio.NewReader(conn)
			for used := time.Now(); ; used = time.Now() {
				request, err := http.ReadRequest(reader)
				if err != nil || time.Since(used) >= 2*second {
					return
				}
				_, _ = io.Copy(io.Discard, request.Body)
				requests++
				_, _ = fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(successJSON), successJSON)
			}
		})}.client(t, once, func(c *Config) { c.URL, _ = ParseBaseURL("http://127.0.0.1", true) })
		for pause := time.Duration(0); pause < 6*second; pause += 3 * second / 10 {
			time.Sleep(pause)
			_, failure, _ := get.make(client)
			failIf(t, failure != nil, "after %s: %v", pause, failure)
		}
		same(t, "requests and connections", fmt.Sprint(requests, connections), "20 17")
		client.config.Transport.(network).lookups.CloseIdleConnections()
	})
}

// TestProxyFault: a variable that cannot be parsed must be an error before any call, and never a direct connection.
// Its value may be a secret.
func TestProxyFault(t *testing.T) { // It is not parallel, because it sets the environment.
	for _, test := range []struct{ variable, value, address, fault string }{
		{"HTTPS_PROXY", "http://user:LEAK%zz@proxy:8080", "https://service.example", "HTTPS_PROXY"},
		{"https_proxy", "http://user:LEAK%@proxy:8080", "https://service.example", "HTTPS_PROXY"},
		{"HTTP_PROXY", "http://proxy:LEAK", "http://service.example", "HTTP_PROXY"},
		{"HTTPS_PROXY", "http://[LEAK", "https://service.example", "HTTPS_PROXY"},
		{"HTTPS_PROXY", "http://user:LEAK/ss@proxy:8080", "https://service.example", "HTTPS_PROXY"},
		{"HTTPS_PROXY", "user:LEAK%zz@proxy:8080", "https://service.example", "HTTPS_PROXY"},
		{"HTTPS_PROXY", "socks5://", "https://service.example", "HTTPS_PROXY"},
		{"HTTPS_PROXY", "socks5://127.0.0.1:1080", "https://service.example", ""},
		{"HTTPS_PROXY", "http://user:LEAK%zz@proxy:8080", "http://service.example", ""}, // It is not for this address.
		{"HTTPS_PROXY", "http://user:LEAK%zz@proxy:8080", "https://localhost", ""},
		{"HTTPS_PROXY", "http://user:LEAK%zz@proxy:8080", "https://direct.example", ""},
		{"HTTPS_PROXY", "proxy:8080", "https://service.example", ""},
		{"HTTPS_PROXY", "http://user:pa%25ss@proxy:8080", "https://service.example", ""},
		{"HTTPS_PROXY", "", "https://service.example", ""},
	} {
		t.Run(test.variable+" "+test.address, func(t *testing.T) {
			t.Setenv("NO_PROXY", "direct.example")
			t.Setenv(test.variable, test.value)
			address, _ := ParseBaseURL(test.address, true)
			err := ProxyFault(address)
			if test.fault == "" {
				failIf(t, err != nil, "%s: %v", test.value, err)
				return
			}
			want := "the environment variable " + test.fault + " is not the address of a proxy"
			failIf(t, err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "LEAK"),
				"%s: %v", test.value, err)
		})
	}
}

// TestProxy: a failed connection must not count as a lost call, and must be retried unless that is pointless. The
// environment names the proxy. Only the proxy may get its password, and it must not get the key. The error must show
// that the proxy has refused the call.
func TestProxy(t *testing.T) { // It is not parallel, because it sets the environment.
	certificate, trusted := certificate(hour)
	service := serve(t, &tls.Config{Certificates: []tls.Certificate{certificate}}, succeeding())
	plain := hosts{"127.0.0.1:443": serve(t, nil, succeeding())}
	way{4, "", "no connection was made: 127.0.0.1:80: no route"}.try(t, plain, "http://127.0.0.1", nil, nil)
	way{1, adviceTLS, "the server does not speak TLS"}.try(t, plain, "https://127.0.0.1", nil, nil)
	t.Setenv("HTTP_PROXY", "http://user:pa%2Fss@proxy:8080")
	t.Setenv("HTTPS_PROXY", "http://user:pa%2Fss@proxy:8080")
	way{4, "", "no connection was made: proxyconnect"}.try(t, nil, "https://service.example", nil, nil)
	for status, want := range map[int]way{
		200: {}, 403: {1, adviceProxy, "status 403"}, 503: {4, adviceProxy, "status 503"},
		407: {1, adviceProxy, "the proxy did not connect: it responded with status 407 (Proxy"},
	} {
		reachable := hosts{"proxy:8080": serve(t, nil,
			&http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				key := r.Header.Get("Authorization") != "" && r.Method == http.MethodConnect
				failIf(t, r.Header.Get("Proxy-Authorization") != "Basic dXNlcjpwYS9zcw==" || key,
					"the proxy received %v", r.Header)
				if w.WriteHeader(status); status == http.StatusOK {
					target, _ := hosts{"service.example:443": service}.dial(r.Context(), "tcp", r.Host)
					here, buffered, _ := http.NewResponseController(w).Hijack()
					go func() { _, _ = io.Copy(target, buffered); _ = target.Close() }()
					_, _ = io.Copy(here, target)
					_ = here.Close()
				}
			})})}
		want.try(t, reachable, "https://service.example", trusted, nil)
		if status == http.StatusProxyAuthRequired {
			way{1, adviceProxy, ""}.try(t, reachable, "http://service.example", nil, nil)
		}
	}
}

// limited is a service that accepts so many calls per second, some of them at once after a pause, and refuses the
// others. Each call takes 20 ms.
type limited struct {
	limit  *rate.Limiter
	accept reaction // or nil for a success
	refuse reaction
	calls  atomic.Int64
}

func (l *limited) RoundTrip(request *http.Request) (*http.Response, error) {
	time.Sleep(20 * time.Millisecond)
	l.calls.Add(1)
	switch {
	case !l.limit.Allow():
		return l.refuse(request)
	case l.accept != nil:
		return l.accept(request)
	default:
		return ok(successJSON)(request)
	}
}

// tenWorkers makes n calls in ten goroutines. It returns how many failed, and how many seconds all of them took.
func tenWorkers(client *Client, n int64) (failed int64, took float64) {
	var begun, failures atomic.Int64
	var workers sync.WaitGroup
	start := time.Now()
	for range 10 {
		workers.Go(func() {
			for i := begun.Add(1); i <= n; i = begun.Add(1) {
				if _, failure, _ := fourCalls[i%2].make(client); failure != nil {
					failures.Add(1)
				}
			}
		})
	}
	workers.Wait()
	return failures.Load(), time.Since(start).Seconds()
}

// TestUnknownLimit: whatever the limit and the form of a refusal, all calls must succeed, hardly later than the limit
// allows. The rate must rise when the limit is lifted, and fall with it.
func TestUnknownLimit(t *testing.T) {
	t.Parallel()
	for _, perSecond := range []float64{5, 20, 100} {
		for _, burst := range []int{1, int(perSecond)} {
			for slower, refuse := range map[float64]reaction{0: reply(503, ""), 20: reply(429, "", "Retry-After", "1")} {
				synctest.Test(t, func(t *testing.T) {
					service := &limited{limit: rate.NewLimiter(rate.Limit(perSecond), burst), refuse: refuse}
					client := newClient(service)
					want := func(limit rate.Limit, calls int64, most float64) {
						service.limit.SetLimit(limit)
						failed, took := tenWorkers(client, calls)
						failIf(t, failed > 0 || took > most, "%v at once, %v a second, then %v: %d failed; %.1f s (at most %.1f s)",
							burst, perSecond, limit, failed, took, most)
					}
					want(rate.Limit(perSecond), 400, 1.2*400/perSecond+12+slower)
					// While Retry-After holds back the calls, the burst is renewed and hides the limit.
					most := 470 + int64(2.5*slower)
					failIf(t, service.calls.Load() > most, "%d calls were sent instead of 400", service.calls.Load())
					if slower == 0 && burst == 1 {
						want(rate.Inf, 2000, 75)
						want(rate.Limit(perSecond), 100, 150/perSecond+20)
					}
				})
			}
		}
	}
}

// TestPace: nothing may hold back workers if there is no limit. The limit of the configuration must be kept exactly,
// and a refusal with Retry-After must hold back every call. A failure with status 500 must not. A call that is refused
// for another reason has gotten through, so it must raise the rate.
func TestPace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service := &limited{limit: rate.NewLimiter(rate.Inf, 1)}
		_, took := tenWorkers(newClient(service), 1000)
		same(t, "without a limit", took, 2)
		_, took = tenWorkers(newClient(service, func(c *Config) { c.RequestsPerSecond = 0.5 }), 11)
		same(t, "with one call in two seconds", took, 20.02)
		lowered := inTurn(reply(503, ""), ok(successJSON))
		_, took = tenWorkers(newClient(lowered, func(c *Config) { c.RequestsPerSecond = 10 }), 400)
		failIf(t, took < 39.9, "400 calls with 10 a second took %.2f s", took)
		service = &limited{limit: rate.NewLimiter(5, 1), refuse: reply(429, "")}
		client := newClient(service)
		tenWorkers(client, 100)
		service.limit.SetLimit(rate.Inf)
		service.accept = reply(422, "{}")
		failed, took := tenWorkers(client, 2000)
		failIf(t, failed != 2000 || took > 75, "once the limit was gone, 2000 calls took %.0f s, and %d failed", took, failed)
		for status, first := range map[int]time.Duration{
			500: second, 400: 30 * second, 401: 30 * second, 404: 30 * second, 429: 30 * second, 503: 30 * second,
		} {
			service := inTurn(func(request *http.Request) (*http.Response, error) {
				time.Sleep(second / 2) // The next call is waiting for its time already.
				return reply(status, "{}", "Retry-After", "9999")(request)
			}, ok(successJSON))
			tenWorkers(newClient(service, once, func(c *Config) { c.RequestsPerSecond = 1 }), 5)
			for i, least := range []time.Duration{first, second, second, second} {
				apart := service.times[i+1].Sub(service.times[i])
				failIf(t, apart < least || apart > least+second/2 || first == second && apart > least,
					"status %d: %s between requests %d and %d", status, apart, i, i+1)
			}
		}
	})
}
