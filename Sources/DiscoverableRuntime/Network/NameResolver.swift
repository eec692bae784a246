internal import CSockets
package import DiscoverableCore
internal import Glibc

/// The system's name resolution (`getaddrinfo`: hosts file, DNS, nss-mdns), off every executor: it can block for half a
/// minute when a name server is silent.
package enum NameResolver {
    /// Why no address was found.
    package enum Failure: Error, Sendable, Hashable {
        /// The resolver said no.
        case failed(UnderlyingError)
        /// The caller's time was over first.
        case timedOut
        /// The caller's task was cancelled.
        case cancelled
    }

    /// `getaddrinfo` cannot be interrupted: a waiter leaves, its lookup keeps a thread until the system gives up.
    private static let threads = BlockingWork(name: "names", limit: 8)

    /// The addresses of `host`, a name or an address as text (with a scope, `fe80::1%lan0`), in the system's order of
    /// preference, each once.
    package static func addresses(
        of host: String,
        port: UInt16,
        timeout: Duration
    ) async throws(Failure) -> [SocketAddress] {
        try await firstAnswer(within: timeout) { lookUp(host, port: port) }
    }

    /// What the blocking `lookUp` returns, unless the time is over or the caller cancelled before.
    static func firstAnswer(
        within timeout: Duration,
        lookUp: @escaping @Sendable () -> Result<[SocketAddress], Failure>
    ) async throws(Failure) -> [SocketAddress] {
        let answer = Waiter<[SocketAddress], Failure>()
        threads.run { if !answer.isResumed { answer.resume(lookUp()) } }
        return try await answer.value(within: timeout, timedOut: { .timedOut }, cancelled: { .cancelled })
    }

    private static func lookUp(_ host: String, port: UInt16) -> Result<[SocketAddress], Failure> {
        var hints = unsafe addrinfo()
        unsafe hints.ai_family = AF_UNSPEC
        unsafe hints.ai_socktype = Int32(SOCK_DGRAM.rawValue)
        unsafe hints.ai_flags = AI_NUMERICSERV
        var first: UnsafeMutablePointer<addrinfo>?
        let status = unsafe getaddrinfo(host, String(port), &hints, &first)
        guard status == 0 else { return .failure(.failed(error(status))) }
        defer { unsafe freeaddrinfo(first) }
        var addresses: [SocketAddress] = []
        var next = unsafe first
        while let entry = unsafe next {
            let address = unsafe entry.pointee.ai_addr.flatMap { unsafe SocketAddress(system: $0) }
            if let address, !addresses.contains(address) { addresses.append(address) }
            unsafe next = entry.pointee.ai_next
        }
        return .success(addresses)
    }

    private static func error(_ status: Int32) -> UnderlyingError {
        if status == EAI_SYSTEM { return .lastSystemCall("getaddrinfo") }
        let text = unsafe String(cString: gai_strerror(status))
        return UnderlyingError(domain: .nameResolution, number: status, call: "getaddrinfo", text: text)
    }
}
