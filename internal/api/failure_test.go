package api

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflogtest"
)

// selfSigned returns a certificate for a name, valid until the given time from now.
func selfSigned(t testing.TB, name string, until time.Duration) tls.Certificate {
	t.Helper()
	_, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()),
		NotBefore:    time.Now().Add(-2 * hour), NotAfter: time.Now().Add(until),
		IsCA: true, BasicConstraintsValid: true, DNSNames: []string{name},
	}
	if ip := net.ParseIP(name); ip != nil {
		template.DNSNames, template.IPAddresses = nil, []net.IP{ip}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}
}

func poolOf(certificates ...tls.Certificate) *x509.CertPool {
	pool := x509.NewCertPool()
	for _, certificate := range certificates {
		pool.AddCert(certificate.Leaf)
	}
	return pool
}

func trusting(certificates ...tls.Certificate) func(*Config) {
	return func(c *Config) { c.RootCAs = poolOf(certificates...) }
}

func presenting(certificate tls.Certificate) func(*Config) {
	return func(c *Config) { c.ClientCertificate = &certificate }
}

func named(name string) func(*Config) { return func(c *Config) { c.TLSServerName = name } }

func through(proxy string) func(*Config) { return func(c *Config) { c.ProxyURL = NewSecret(proxy) } }

// way is a way to a service, which either reaches it or fails on the way.
type way struct {
	address  string
	settings []func(*Config)
	attempts int    // the expected number, or 0 if the way reaches the service
	reason   string // a part of it, with {address}
	obstacle Obstacle
}

func with(settings ...func(*Config)) []func(*Config) { return settings }

func (w way) try(t *testing.T, name string, service *service) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		t.Parallel()
		var log bytes.Buffer
		for _, call := range fourCalls {
			client := newClient(t, w.address, append(with(retries(3)), w.settings...)...)
			answer, err := call.make(tflogtest.RootLogger(t.Context(), &log), client)
			if w.attempts == 0 {
				if err != nil || answer.AfterLostAttempt {
					t.Errorf("%s: %v, AfterLostAttempt = %v", call.method, err, answer.AfterLostAttempt)
				}
				continue
			}
			failure := wantKind(t, err, NotSent)
			reason := strings.ReplaceAll(w.reason, "{address}", w.address[strings.LastIndex(w.address, "/")+1:])
			if failure.Attempts != w.attempts || failure.MayHaveHappened() || !strings.Contains(failure.Reason, reason) ||
				failure.Obstacle != w.obstacle {
				t.Errorf("%s: %d attempts, obstacle %d\n%s\nwant %d attempts, obstacle %d\n%s",
					call.method, failure.Attempts, failure.Obstacle, failure.Reason, w.attempts, w.obstacle, reason)
			}
			wantAbsent(t, "the error", printed(err), "pa%2Fss", "pa/ss", plantedKey, plantedToken)
		}
		wantAbsent(t, "the log", log.String(), "pa%2Fss", "pa/ss", plantedKey, plantedToken)
		service.want(t, map[bool]int{true: len(fourCalls)}[w.attempts == 0])
	})
}

// TestTLS: a failed TLS connection must not count as a lost call or be retried, and the error must name the obstacle.
func TestTLS(t *testing.T) {
	t.Parallel()
	own, other := selfSigned(t, "127.0.0.1", hour), selfSigned(t, "service.example", hour)
	expired := selfSigned(t, "127.0.0.1", -hour)
	client, stranger := selfSigned(t, "client", hour), selfSigned(t, "client", hour)
	only := func(version uint16, certificate tls.Certificate) *tls.Config {
		return &tls.Config{
			Certificates: []tls.Certificate{certificate}, MinVersion: version, MaxVersion: version,
			NextProtos: []string{"h2", "http/1.1"}, // The service would not understand HTTP/2.
		}
	}
	asking := func(version uint16) *tls.Config {
		config := only(version, own)
		config.ClientAuth, config.ClientCAs = tls.RequireAndVerifyClientCert, poolOf(client)
		return config
	}
	const (
		tls12, tls13 = tls.VersionTLS12, tls.VersionTLS13
		unverified   = "the certificate of {address} could not be verified: x509: "
		refused      = "{address} refused the TLS connection: "
	)
	for name, test := range map[string]struct {
		server *tls.Config
		way
	}{
		"trusted":           {only(tls12, own), way{settings: with(trusting(own))}},
		"tls_server_name":   {only(tls13, other), way{settings: with(trusting(other), named("service.example"))}},
		"another name":      {only(tls13, other), way{"", with(trusting(other)), 1, unverified, OtherName}},
		"unknown authority": {only(tls13, own), way{"", nil, 1, unverified + "certificate signed by", UnknownAuthority}},
		"expired":           {only(tls13, expired), way{"", with(trusting(expired)), 1, unverified, ExpiredCertificate}},
		"TLS 1.1": {
			only(tls.VersionTLS11, own), way{"", with(trusting(own)), 1, refused + "protocol version", HandshakeRefused},
		},
		// In TLS 1.3, the refusal arrives after the request was written.
		"no client certificate": {
			asking(tls13), way{"", with(trusting(own)), 1, refused + "certificate required", ClientCertificateWanted},
		},
		"no client certificate, TLS 1.2": {
			asking(tls12), way{"", with(trusting(own)), 1, refused, ClientCertificateWanted},
		},
		"wrong client certificate": {
			asking(tls13), way{"", with(trusting(own), presenting(stranger)), 1, refused, ClientCertificateWanted},
		},
		"client certificate":          {asking(tls13), way{settings: with(trusting(own), presenting(client))}},
		"client certificate, TLS 1.2": {asking(tls12), way{settings: with(trusting(own), presenting(client))}},
	} {
		service := inTurn(ok(successJSON))
		test.address = "https://" + service.listen(t, test.server)
		test.try(t, name, service)
	}
}

// TestNoConnection: a failed connection must not count as a lost call and must be retried, unless that is pointless.
// The error must contain the address.
func TestNoConnection(t *testing.T) {
	t.Parallel()
	// An open connection occupies its local port until the test ends, so that no other program listens on it.
	held, err := net.Dial("tcp", listen(t, func(net.Conn) {}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = held.Close() })
	deaf := held.LocalAddr().String()
	_, port, _ := net.SplitHostPort(deaf)
	_, err = net.Dial("tcp", deaf)
	refused := " could be made: " + rootCause(err) // each system has its own words
	closing := func(conn net.Conn) { _ = conn.Close() }
	silent := func(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) }
	noTLS := func(conn net.Conn) { _ = write("HTTP/1.1 400 Bad Request\r\n\r\n")(conn, received{}) }
	soon := func(c *Config) { c.RequestTimeout = 10 * time.Millisecond }
	plain := func(r reaction) string { return "http://" + inTurn(r).listen(t, nil) }
	// Some servers respond to a request without TLS in this way.
	alert := then(write("\x15\x03\x01\x00\x02\x02\x16"), cut)
	const service = "https://service.example"
	const toService = "no connection to service.example:443 through the proxy 127.0.0.1:"
	const wanted = "{address} expects TLS, but got plain HTTP"
	for name, test := range map[string]way{
		"nobody listens":  {"http://" + deaf, nil, 4, "no connection to {address}" + refused, NoObstacle},
		"another address": {"http://localhost:" + port, nil, 4, "no connection to localhost:" + port + " (", NoObstacle},
		"cut handshakes": {
			"https://" + listen(t, closing), nil, 4, "no connection to {address} could be made: ", NoObstacle,
		},
		"handshakes without a response": {
			"https://" + listen(t, silent), with(soon), 4, "no connection to {address} was made within 10ms", NoObstacle,
		},
		"a deaf proxy": {
			service, with(through("http://" + deaf)), 4, "no connection to the proxy " + deaf + refused, NoObstacle,
		},
		"a silent proxy":    {service, with(through("socks5://" + listen(t, closing))), 4, toService, NoObstacle},
		"a cutting proxy":   {service, with(through(plain(cut))), 4, toService, NoObstacle},
		"no TLS":            {"https://" + listen(t, noTLS), nil, 1, "{address} does not speak TLS", NoTLS},
		"no TLS at a proxy": {service, with(through("https://" + listen(t, noTLS))), 1, "does not speak TLS", NoTLS},
		"TLS":               {plain(alert), nil, 1, wanted, TLSWanted},
		"TLS of Go": {
			plain(then(write("HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n"), cut)),
			nil, 1, wanted, TLSWanted,
		},
		"TLS of nginx": {
			plain(answer(400, "Server: nginx\r\n", "<title>400 The plain HTTP request was sent to HTTPS port</title>")),
			nil, 1, wanted, TLSWanted,
		},
		"TLS at a proxy": {service, with(through(plain(alert))), 1, "expects TLS", TLSWanted},
	} {
		test.try(t, name, inTurn(cut))
	}
}

// TestNothingWritten: a call whose connection fails before the first byte of the request was not sent, so that even a
// rotation is retried.
func TestNothingWritten(t *testing.T) {
	t.Parallel()
	for _, call := range fourCalls {
		client := newClient(t, "http://127.0.0.1", retries(3))
		client.dialWith(func(context.Context, string, string) (net.Conn, error) {
			here, _ := net.Pipe()
			return &countingConn{Conn: here}, here.Close()
		})
		_, err := call.make(t.Context(), client)
		if failure := wantKind(t, err, NotSent); failure.Attempts != 4 {
			t.Errorf("%s: %d attempts", call.method, failure.Attempts)
		}
	}
}

// TestAlertOnAReusedConnection: an alert that refuses a new connection shows that the request was not read, even if it
// arrives after the request was written. On a connection that was used before, it shows nothing.
func TestAlertOnAReusedConnection(t *testing.T) {
	t.Parallel()
	alert := &net.OpError{Op: "remote error", Err: tls.AlertError(42)}
	for reused, want := range map[bool]Kind{false: NotSent, true: UnknownOutcome} {
		var way sending
		way.connected.Store(true)
		way.reused.Store(reused)
		failed := call{client: newClient(t, "https://service.example"), method: http.MethodPost}
		_ = wantKind(t, failed.transportFailure(alert, false, &way), want)
	}
}

// tunnel handles CONNECT like a proxy.
func tunnel(conn net.Conn, request received) bool {
	target, err := (&net.Dialer{}).DialContext(context.Background(), "tcp", request.Host)
	if err != nil {
		return false
	}
	defer func() { _ = target.Close() }()
	_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\n\r\n")
	go func() { _, _ = io.Copy(target, conn); _ = target.Close() }()
	_, _ = io.Copy(conn, target)
	return false
}

// TestProxy: the error must show whether the proxy or the service refused the call, and name the obstacle. The
// proxy must not be verified by the server name of the service, only the proxy may get its password, and it must not
// get the client certificate.
func TestProxy(t *testing.T) {
	t.Parallel()
	own, strange := selfSigned(t, "127.0.0.1", hour), selfSigned(t, "127.0.0.1", hour)
	other := selfSigned(t, "service.example", hour)
	by := func(certificate tls.Certificate) *tls.Config {
		return &tls.Config{Certificates: []tls.Certificate{certificate}}
	}
	asking := by(own)
	asking.ClientAuth = tls.RequestClientCert
	asking.VerifyConnection = func(state tls.ConnectionState) error {
		if len(state.PeerCertificates) > 0 {
			t.Error("the proxy received the client certificate")
		}
		return nil
	}
	type proxied struct {
		scheme, proxyScheme string
		proxyTLS            *tls.Config
		react               reaction
		way
	}
	tests := map[string]proxied{
		"tunnel":     {"https", "http", nil, tunnel, way{}},
		"over TLS":   {"https", "https", asking, tunnel, way{}},
		"plain, 407": {"http", "http", nil, page(407), way{attempts: 1, obstacle: ProxyPasswordWanted}},
		"of unknown authority": {
			"https", "https", by(strange), tunnel, way{"", nil, 1, "the certificate of the proxy 127.0.0.1:", UnknownAuthority},
		},
	}
	for status, refused := range map[int]way{
		407: {attempts: 1, obstacle: ProxyPasswordWanted}, 403: {attempts: 1, obstacle: ProxyForbids},
		429: {attempts: 4, obstacle: ProxyForbids}, 502: {attempts: 4, obstacle: ProxyCannotConnect},
		503: {attempts: 4, obstacle: ProxyCannotConnect},
	} {
		const format = " did not connect to {address}: it responded with status %d (%s) (Server: squid/6.1)"
		refused.reason = fmt.Sprintf(format, status, http.StatusText(status))
		react := answer(status, "Server: squid/6.1\r\n", htmlPage)
		tests[strconv.Itoa(status)] = proxied{"https", "http", nil, react, refused}
	}
	for name, test := range tests {
		service, proxy := inTurn(ok(successJSON)), inTurn(test.react)
		config := by(other)
		if test.scheme == "http" {
			config = nil
		}
		test.address = test.scheme + "://" + service.listen(t, config)
		address := test.proxyScheme + "://user:pa%2Fss@" + proxy.listen(t, test.proxyTLS)
		test.settings = with(through(address), trusting(own, other), named("service.example"), presenting(strange))
		test.try(t, name, service)
		t.Cleanup(func() {
			for _, request := range service.seen() {
				if request.Header.Get("Proxy-Authorization") != "" {
					t.Errorf("%s: the service received the password of the proxy", name)
				}
			}
			for _, request := range proxy.seen() {
				key := request.Header.Get("Authorization") != ""
				if request.Header.Get("Proxy-Authorization") != "Basic dXNlcjpwYS9zcw==" || key && test.scheme == "https" {
					t.Errorf("%s: the proxy received %v", name, request.Header)
				}
			}
		})
	}
}

// TestObstacles: the obstacle must follow from the response, and from the methods that have worked before.
func TestObstacles(t *testing.T) {
	t.Parallel()
	const refusal = `{"success":0,"message":"no"}`
	tests := []struct {
		call   anyCall
		status int
		body   string
		worked string // methods by which a call has succeeded, or "asked" if a client certificate was requested
		want   Obstacle
	}{
		// Something in between drops or refuses bodies.
		{get, 400, htmlPage, "", BodyMayBeDropped},
		{get, 405, htmlPage, "", BodyMayBeDropped},
		{get, 411, htmlPage, "", BodyMayBeDropped},
		{remove, 413, "", "GET", BodyMayBeDropped},
		{remove, 415, "no", "GET", BodyMayBeDropped},
		{get, 400, htmlPage, "PUT", BodyDropped},
		{remove, 405, htmlPage, "POST", BodyDropped},
		{get, 403, htmlPage, "PUT", BodyDropped}, // as CloudFront does
		{get, 400, refusal, "", FieldsMayBeDropped},
		{remove, 422, refusal, "GET", FieldsMayBeDropped},
		{get, 400, refusal, "GET", NoObstacle},
		{put, 400, refusal, "", NoObstacle},
		{get, 400, htmlPage, "GET PUT", ForeignResponse},
		{put, 400, htmlPage, "", ForeignResponse},
		{post, 413, htmlPage, "", ForeignResponse},
		// Something in front of the service refuses the call.
		{get, 401, htmlPage, "", RefusedOnTheWay},
		{get, 403, "", "GET", RefusedOnTheWay},
		{get, 401, refusal, "", NoObstacle},
		{get, 403, `{"detail":"no"}`, "", NoObstacle},
		{get, 407, htmlPage, "", ProxyPasswordWanted},
		{get, 200, htmlPage, "", ForeignResponse},
		{get, 200, `{"x":1}`, "", NoObstacle},
		{get, 400, htmlPage, "asked", ClientCertificateWanted},
		{get, 403, htmlPage, "asked GET", RefusedOnTheWay},
		{get, 403, "", "asked", ClientCertificateWanted},
		{get, 401, htmlPage, "asked", RefusedOnTheWay},
		{get, 403, refusal, "asked", NoObstacle},
		// The address may be wrong.
		{get, 404, htmlPage, "", WrongAddress},
		{put, 404, "", "", WrongAddress},
		{get, 404, `{"detail":"no such page"}`, "", WrongAddress},
		{put, 404, refusal, "", NoObstacle},
		{get, 404, htmlPage, "DELETE", ForeignResponse},
		// The kind says enough.
		{get, 429, htmlPage, "", NoObstacle},
		{get, 307, htmlPage, "", NoObstacle},
		{get, 502, htmlPage, "", NoObstacle},
	}
	for _, test := range tests {
		client := newClient(t, "https://service.example.com")
		for _, call := range fourCalls {
			if strings.Contains(test.worked, call.method) {
				_, _ = client.interpret(t, call, reply(200, successJSON))
			}
		}
		client.certificateWanted.Store(strings.Contains(test.worked, "asked"))
		_, failure := client.interpret(t, test.call, reply(test.status, test.body))
		if got := failure.Obstacle; got != test.want {
			const format = "%s %d %q after %q: %d, want %d"
			t.Errorf(format, test.call.method, test.status, test.body, test.worked, got, test.want)
		}
	}
}
