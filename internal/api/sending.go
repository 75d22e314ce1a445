package api

import (
	"context"
	"net"
	"net/http/httptrace"
	"sync/atomic"
)

// countingConn counts the bytes handed to the network, which tells a request that was never written (safe to repeat)
// from one whose fate is unknown.
type countingConn struct {
	net.Conn
	written atomic.Int64
}

func (c *countingConn) Write(data []byte) (int, error) {
	n, err := c.Conn.Write(data)
	c.written.Add(int64(n))
	return n, err
}

// watchSending returns a context for one attempt and a function that reports whether any byte of that attempt may have
// been sent. When in doubt it says yes.
func watchSending(ctx context.Context) (context.Context, func() bool) {
	var conn atomic.Pointer[countingConn]
	var before atomic.Int64
	var connected atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(info httptrace.GotConnInfo) {
			connected.Store(true)
			if counting, ok := unwrapTLS(info.Conn).(*countingConn); ok {
				before.Store(counting.written.Load())
				conn.Store(counting)
			}
		},
	})
	return ctx, func() bool {
		if !connected.Load() {
			return false
		}
		counting := conn.Load()
		return counting == nil || counting.written.Load() != before.Load()
	}
}

func unwrapTLS(conn net.Conn) net.Conn {
	if wrapped, ok := conn.(interface{ NetConn() net.Conn }); ok {
		return wrapped.NetConn()
	}
	return conn
}
