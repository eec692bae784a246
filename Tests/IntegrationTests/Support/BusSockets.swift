import Foundation
import Glibc
import Testing

/// The sockets of this process that are connected to the system bus, by what stays the same where a descriptor's number is used again.
func busSockets() throws -> [String: Int32] {
    let variable = try #require(ProcessInfo.processInfo.environment["DBUS_SYSTEM_BUS_ADDRESS"])
    let bus = try #require(variable.split(separator: ",").first?.split(separator: "path=").last.map(String.init))
    return try openDescriptors().filter { peerPath(of: $0.value) == bus }
}

/// How many descriptors this process has open of the kinds that a connection to the daemon needs: its socket, and what its loop
/// waits with. A test's child processes have others, which close in their own time.
func descriptorsOfDiscovery() throws -> Int {
    try busSockets().count + openDescriptors().keys.filter { $0.contains("anon_inode:[event") }.count
}

/// The numbers of the open descriptors by what they are.
private func openDescriptors() throws -> [String: Int32] {
    var descriptors: [String: Int32] = [:]
    for number in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap({ Int32($0) }) {
        // What was open a moment ago may be closed.
        guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)") else {
            continue
        }
        descriptors[target.hasPrefix("socket:") ? target : "\(number) \(target)"] = number
    }
    return descriptors
}

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
