import Foundation
import Glibc
import Testing

/// The sockets of this process that are connected to the system bus.
func busSockets() throws -> [Int32] {
    let variable = try #require(ProcessInfo.processInfo.environment["DBUS_SYSTEM_BUS_ADDRESS"])
    let bus = try #require(variable.split(separator: ",").first?.split(separator: "path=").last.map(String.init))
    return try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { Int32($0) }
        .filter { peerPath(of: $0) == bus }
}

/// How many descriptors this process has open.
func openDescriptors() throws -> Int { try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count }

/// The resident memory of this process, in megabytes.
func residentMegabytes() throws -> Double {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") })
    return try #require(line.split(separator: " ").compactMap { Double($0) }.first) / 1024
}

/// Ends a connection to the bus as the bus does with a client that exceeds a limit.
func breakConnection(_ socket: Int32) { shutdown(socket, Int32(SHUT_RDWR)) }

/// Where a socket of the local family is connected to; nil for any other descriptor.
private func peerPath(of socket: Int32) -> String? {
    var address = sockaddr_un()
    var length = socklen_t(MemoryLayout<sockaddr_un>.size)
    let status = unsafe withUnsafeMutablePointer(to: &address) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe getpeername(socket, $0, &length) }
    }
    guard status == 0, address.sun_family == AF_UNIX else { return nil }
    return unsafe withUnsafeBytes(of: address.sun_path) { bytes in
        unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
}
