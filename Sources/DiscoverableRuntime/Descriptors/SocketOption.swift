internal import CSockets
internal import DiscoverableCore
internal import Glibc

/// An option of a socket: its place and number in the kernel, and its name, which stands in errors.
struct SocketOption {
    let level: Int32
    let number: Int32
    let name: StaticString

    static func socket(_ number: Int32, _ name: StaticString) -> SocketOption {
        SocketOption(level: SOL_SOCKET, number: number, name: name)
    }

    static func ipv4(_ number: Int32, _ name: StaticString) -> SocketOption {
        SocketOption(level: Int32(IPPROTO_IP), number: number, name: name)
    }

    static func ipv6(_ number: Int32, _ name: StaticString) -> SocketOption {
        SocketOption(level: Int32(IPPROTO_IPV6), number: number, name: name)
    }

    static func udp(_ number: Int32, _ name: StaticString) -> SocketOption {
        SocketOption(level: DISCOVERABLE_SOL_UDP, number: number, name: name)
    }

    /// Gives the kernel a value in its own form.
    ///
    /// - Throws: the kernel's error, by the name `setsockopt(IP_TTL)`.
    func set<Value: BitwiseCopyable>(_ value: Value, of descriptor: Int32) throws(UnderlyingError) {
        let number = unsafe withUnsafeBytes(of: value) { unsafe set(bytes: $0, of: descriptor) }
        guard number == 0 else { throw error(number, from: "setsockopt") }
    }

    /// Gives the kernel the bytes of a text; an empty one is how text options are cleared.
    func set(text: String, of descriptor: Int32) throws(UnderlyingError) {
        let number = unsafe Array(text.utf8).withUnsafeBytes { unsafe set(bytes: $0, of: descriptor) }
        guard number == 0 else { throw error(number, from: "setsockopt") }
    }

    /// The error of the call; 0 if there was none.
    private func set(bytes: UnsafeRawBufferPointer, of descriptor: Int32) -> Int32 {
        let size = socklen_t(bytes.count)
        return unsafe setsockopt(descriptor, level, number, bytes.baseAddress, size) == 0 ? 0 : errno
    }

    /// The number that the kernel holds.
    ///
    /// - Throws: the kernel's error, by the name `getsockopt(IP_TTL)`.
    func value(of descriptor: Int32) throws(UnderlyingError) -> Int32 {
        var value: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        let result = unsafe getsockopt(descriptor, level, number, &value, &size)
        let failure = errno
        guard result == 0 else { throw error(failure, from: "getsockopt") }
        return value
    }

    /// The error `number` of a call about this option.
    func error(_ number: Int32, from call: StaticString) -> UnderlyingError {
        .system(number, callNamed: "\(call)(\(name))")
    }
}
