import DiscoverableCore
import Glibc

@testable import DiscoverableRuntime

/// A UDP socket with its options, and the kernel's own view of them.
struct OpenSocket: ~Copyable {
    private let descriptor: FileDescriptor
    let options: DatagramOptions

    init(_ family: AddressFamily) throws {
        let number = socket(family.systemValue, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard number >= 0 else { throw UnderlyingError.lastSystemCall("socket") }
        descriptor = FileDescriptor(owning: number)
        options = DatagramOptions(descriptor: number, family: family)
    }

    var number: Int32 { descriptor.rawValue }

    /// What the kernel holds, asked for without the code under test.
    func value(_ level: Int, _ option: Int32) -> Int32? {
        var value: Int32 = 0
        var size = socklen_t(4)
        return unsafe getsockopt(number, Int32(level), option, &value, &size) == 0 ? value : nil
    }

    func value(_ ipv4: Int32, _ ipv6: Int32) -> Int32? {
        options.family == .ipv4 ? value(Int(IPPROTO_IP), ipv4) : value(Int(IPPROTO_IPV6), ipv6)
    }

    /// 0, or the `errno` of the call.
    func bind(_ address: SocketAddress) -> Int32 {
        unsafe address.withSockAddr { unsafe Glibc.bind(number, $0, $1) == 0 ? 0 : errno }
    }

    func connect(_ address: SocketAddress) -> Int32 {
        unsafe address.withSockAddr { unsafe Glibc.connect(number, $0, $1) == 0 ? 0 : errno }
    }

    func send(_ count: Int, to address: SocketAddress) -> Int32 {
        let bytes = [UInt8](repeating: 1, count: count)
        return unsafe address.withSockAddr { unsafe sendto(number, bytes, count, 0, $0, $1) < 0 ? errno : 0 }
    }
}

/// The error's number and call, as `(95, "setsockopt(X)")`; nil if none is thrown.
func failure(_ body: () throws(UnderlyingError) -> Void) -> Failure? {
    do throws(UnderlyingError) {
        try body()
        return nil
    } catch {
        return Failure(number: error.number, call: error.call)
    }
}

struct Failure: Equatable {
    let number: Int32
    let call: String
}
