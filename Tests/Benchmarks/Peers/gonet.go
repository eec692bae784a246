// Echo with Go's net package, without an allocation for a datagram.
//
//	gonet server
//	gonet client SIZE WINDOW WARM-UP-MS MEASURED-MS PORT     says round trips a second
package main

import (
	"fmt"
	"net"
	"os"
	"strconv"
	"sync/atomic"
	"time"
)

const (
	longestLife = 60 * time.Second
	silence     = 50 * time.Millisecond
)

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func serve() {
	conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	check(err)
	fmt.Println(conn.LocalAddr().(*net.UDPAddr).Port)
	buffer := make([]byte, 65536)
	for {
		length, peer, err := conn.ReadFromUDPAddrPort(buffer)
		if err == nil {
			conn.WriteToUDPAddrPort(buffer[:length], peer)
		}
	}
}

// Sends one datagram for each that arrives.
func exchange(conn *net.UDPConn, payload []byte, count *uint64) {
	buffer := make([]byte, 65536)
	for {
		if _, err := conn.Read(buffer); err == nil {
			atomic.AddUint64(count, 1)
			conn.Write(payload)
		}
	}
}

// Sends the window again whenever nothing came for a while.
func refill(conn *net.UDPConn, payload []byte, window int, count *uint64) {
	seen := ^uint64(0)
	for {
		if now := atomic.LoadUint64(count); now == seen || seen == ^uint64(0) {
			for sent := 0; sent < window; sent++ {
				conn.Write(payload)
			}
		}
		seen = atomic.LoadUint64(count)
		time.Sleep(silence)
	}
}

func load(size, window, warmUp, measured, port int) {
	conn, err := net.DialUDP("udp4", nil, &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1), Port: port})
	check(err)
	payload := make([]byte, size)
	var count uint64
	go exchange(conn, payload, &count)
	go refill(conn, payload, window, &count)
	time.Sleep(time.Duration(warmUp) * time.Millisecond)
	firstCount, firstTime := atomic.LoadUint64(&count), time.Now()
	time.Sleep(time.Duration(measured) * time.Millisecond)
	rate := float64(atomic.LoadUint64(&count)-firstCount) / time.Since(firstTime).Seconds()
	fmt.Printf("%.3f\n", rate)
}

func main() {
	time.AfterFunc(longestLife, func() { os.Exit(1) })
	var numbers []int
	for _, text := range os.Args[1:] {
		if number, err := strconv.Atoi(text); err == nil {
			numbers = append(numbers, number)
		}
	}
	switch {
	case len(os.Args) == 2 && os.Args[1] == "server":
		serve()
	case len(os.Args) == 7 && os.Args[1] == "client" && len(numbers) == 5:
		load(numbers[0], numbers[1], numbers[2], numbers[3], numbers[4])
	default:
		os.Exit(64)
	}
}
