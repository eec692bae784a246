/// A narrower kind of a service type: `_printer` of `_http._tcp` is asked for as `_printer._sub._http._tcp` (RFC 6763
/// section 7.1). What answers is a service of the type itself, under the same name as without the subtype.
public struct ServiceSubtype: DNSComparable, Sendable {
    /// The label as it was spelt, such as `_printer`.
    public let text: String

    /// Takes a label: an underscore, then 2 to 62 letters, digits, hyphens or underscores.
    ///
    /// Labels without the underscore exist on the network, but Avahi neither asks for nor publishes them.
    /// - Throws: `DiscoveryError` with code `invalidName`.
    public init(_ text: String) throws(DiscoveryError) {
        guard isSubtypeLabel(text) else {
            throw DiscoveryError(
                .invalidName,
                operation: "taking \"\(text)\" as a service subtype",
                explanation: "a subtype looks like _printer: an underscore, then 2 to 62 letters, digits or hyphens"
            )
        }
        self.text = text
    }

    /// The name under which services of `type` with this subtype are listed: `_printer._sub._http._tcp`.
    public func fullText(of type: ServiceType) -> String { "\(text)._sub.\(type)" }

    /// Takes a text as `fullText(of:)` makes it apart.
    /// - Throws: `DiscoveryError` with code `invalidName`.
    public static func parse(
        fullText text: String
    ) throws(DiscoveryError) -> (subtype: ServiceSubtype, type: ServiceType) {
        let labels = text.split(separator: ".", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
        guard labels.count == 3, ASCIIFolding.areEqual(labels[1], "_sub") else {
            throw DiscoveryError(
                .invalidName,
                operation: "taking \"\(text)\" as a subtype of a service type",
                explanation: "it looks like _printer._sub._http._tcp"
            )
        }
        return (try ServiceSubtype(labels[0]), try ServiceType(labels[2]))
    }
}

private func isSubtypeLabel(_ text: String) -> Bool {
    (3...63).contains(text.utf8.count) && text.utf8.first == 0x5f && text.utf8.dropFirst().allSatisfy(isHostByte)
}
