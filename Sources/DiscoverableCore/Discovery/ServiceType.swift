/// What a service is: `_http._tcp`. An application label that begins with an underscore, and the transport
/// (RFC 6763 section 7).
public struct ServiceType: DNSComparable, Sendable {
    /// The type as it was spelt, without a dot at the end.
    public let text: String

    /// Parses `_application._tcp` or `_application._udp`.
    ///
    /// The application label has 1 to 62 letters, digits, hyphens or underscores after its own underscore. New types
    /// should keep to the 15 characters of RFC 6335 section 5.1; longer ones exist and are accepted.
    /// - Throws: `DiscoveryError` with code `invalidName`.
    public init(_ text: String) throws(DiscoveryError) {
        let trimmed = text.hasSuffix(".") ? String(text.dropLast()) : text
        guard isServiceType(trimmed) else {
            throw DiscoveryError(
                .invalidName,
                operation: "taking \"\(text)\" as a service type",
                explanation: "a service type looks like _http._tcp: an underscore, 1 to 62 letters, digits or hyphens, "
                    + "then ._tcp or ._udp"
            )
        }
        self.text = trimmed
    }

    /// Whether the service is reached over UDP; `_tcp` says anything but UDP (RFC 6763 section 7).
    public var isUDP: Bool { ASCIIFolding.areEqual(String(text.suffix(4)), "_udp") }
}

private func isServiceType(_ text: String) -> Bool {
    let labels = text.split(separator: ".", omittingEmptySubsequences: false)
    guard labels.count == 2, (2...63).contains(labels[0].utf8.count), labels[0].utf8.first == 0x5f else { return false }
    let isTransport = ["_tcp", "_udp"].contains { ASCIIFolding.areEqual($0, String(labels[1])) }
    return isTransport && labels[0].utf8.dropFirst().allSatisfy(isHostByte)
}

/// A letter, a digit, a hyphen or an underscore.
func isHostByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x2d, 0x5f: true
    default: false
    }
}
