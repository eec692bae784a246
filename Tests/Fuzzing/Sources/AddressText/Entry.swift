internal import DiscoverableCore
internal import FuzzSupport
internal import Glibc

/// Takes the input as the text of an address, with and without a port, and its first bytes as an address.
@c(LLVMFuzzerTestOneInput)
public func fuzzAddressText(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = unsafe FuzzInput.bytes(start, count)
    let text = FuzzInput.text(bytes)
    checkParsing(text)
    for port in [nil, 1024] as [UInt16?] { checkEndpoint(text, defaultPort: port) }
    if bytes.count >= 22 { checkPrinting(bytes) }
    return 0
}

/// Exactly what the system takes for an address is one, and the same.
private func checkParsing(_ text: String) {
    let isWhole = !text.utf8.contains(0)
    let (four, six) = (IPv4Address(text), IPv6Address(text))
    claim(four?.bytes == (isWhole ? systemBytes(of: text, AF_INET, count: 4) : nil), "\(text) is \(four as Any)")
    claim(six?.bytes == (isWhole ? systemBytes(of: text, AF_INET6, count: 16) : nil), "\(text) is \(six as Any)")
    claim(IPAddress(text) == (four.map(IPAddress.v4) ?? six.map(IPAddress.v6)), "\(text) as either family")
}

/// What is read is printed in a form that is read as the same.
private func checkEndpoint(_ text: String, defaultPort: UInt16?) {
    guard let address = SocketAddress(parsing: text, defaultPort: defaultPort) else { return }
    let description = address.description
    claim(SocketAddress(parsing: description, defaultPort: nil).map(\.ip) == address.ip, "\(text), as \(description)")
    let host = address.hostTextWithInterfaceName
    let endpoint = address.family == .ipv4 ? "\(host):\(address.port)" : "[\(host)]:\(address.port)"
    claim(SocketAddress(parsing: endpoint, defaultPort: nil) == address, "\(text), as \(endpoint)")
    claim(SocketAddress(parsing: host, defaultPort: address.port) == address, "\(text), as \(host)")
}

/// Any address is printed in a form that the system and we read as the same.
private func checkPrinting(_ bytes: [UInt8]) {
    let four = IPv4Address(bytes[0], bytes[1], bytes[2], bytes[3])
    claim(systemBytes(of: four.description, AF_INET, count: 4) == four.bytes, "\(four.bytes), as \(four)")
    claim(IPv4Address(four.description) == four, "\(four)")
    guard let six = IPv6Address(bytes: bytes[..<16]) else { return claim(false, "16 bytes are no address") }
    claim(six.bytes == Array(bytes[..<16]), "\(bytes[..<16]) are \(six.bytes)")
    claim(systemBytes(of: six.description, AF_INET6, count: 16) == six.bytes, "\(six.bytes), as \(six)")
    claim(IPv6Address(six.description) == six, "\(six)")
    let scope = InterfaceIndex(rawValue: UInt32(bytes[16]))
    let address = SocketAddress(.v6(six), port: UInt16(bytes[17]) << 8 | UInt16(bytes[18]), scope: scope)
    checkEndpoint(address.description, defaultPort: nil)
}

private func systemBytes(of text: String, _ family: CInt, count: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    return unsafe inet_pton(family, text, &bytes) == 1 ? bytes : nil
}
