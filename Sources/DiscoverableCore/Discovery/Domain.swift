/// The DNS domain that services are registered in; on the local network `local` (RFC 6762 section 3).
public struct Domain: DNSComparable, Sendable {
    /// The domain as it was spelt, without a dot at the end.
    public let text: String

    /// The domain of multicast DNS.
    public static let local = Domain(unchecked: "local")

    /// A domain of labels of 1 to 63 bytes separated by dots, at most 253 bytes in all (RFC 1035 section 2.3.4). Bytes
    /// outside printable ASCII stand escaped as `\DDD`, as Avahi writes them.
    /// - Throws: `DiscoveryError` with code `invalidName`.
    public init(_ text: String) throws(DiscoveryError) {
        let trimmed = text.hasSuffix(".") ? String(text.dropLast()) : text
        let labels = trimmed.split(separator: ".", omittingEmptySubsequences: false)
        guard trimmed.utf8.count <= 253, labels.allSatisfy({ (1...63).contains($0.utf8.count) }),
            trimmed.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
        else {
            throw DiscoveryError(
                .invalidName,
                operation: "taking \"\(text)\" as a domain",
                explanation: "a domain has labels of 1 to 63 ASCII characters separated by dots, such as local"
            )
        }
        self.text = trimmed
    }

    private init(unchecked text: String) {
        self.text = text
    }
}
