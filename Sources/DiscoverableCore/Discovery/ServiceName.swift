/// The instance name of a service: what a person sees in a list. Any UTF-8 text of 1 to 63 bytes, dots, spaces and emoji
/// included; it is one DNS label and is never escaped (RFC 6763 section 4.1.1).
public struct ServiceName: DNSComparable, Sendable {
    /// The name as it was spelt.
    public let text: String

    /// The longest name: one DNS label.
    public static let maximumLength = 63

    /// A name of 1 to 63 bytes.
    /// - Throws: `DiscoveryError` with code `invalidName` for an empty text, one of more than 63 bytes of UTF-8, or one
    ///   with a NUL.
    public init(_ text: String) throws(DiscoveryError) {
        func refuse(_ explanation: String) -> DiscoveryError {
            DiscoveryError(.invalidName, operation: "taking \"\(text)\" as an instance name", explanation: explanation)
        }
        let length = text.utf8.count
        if length == 0 { throw refuse("the name is empty; give it 1 to 63 bytes") }
        if length > Self.maximumLength {
            throw refuse("the name has \(length) bytes of UTF-8 and DNS allows 63; shorten it")
        }
        if text.utf8.contains(0) { throw refuse("the name holds a NUL character; remove it") }
        self.text = text
    }

    private init(unchecked text: String) {
        self.text = text
    }

    /// For something that has no name, where one must stand.
    static let unnamed = ServiceName(unchecked: "?")

    /// The first 63 bytes of `text`, cut between characters: for host names and other texts that need not be names.
    /// - Throws: `DiscoveryError` with code `invalidName` where nothing is left or a NUL is in it.
    public init(truncating text: String) throws(DiscoveryError) {
        try self.init(cut(text, toBytes: Self.maximumLength))
    }

    /// Whether the name holds ASCII control characters, which may be met on the network but must not be published
    /// (RFC 6763 section 4.1.1).
    public var hasControlCharacters: Bool {
        text.utf8.contains { $0 < 0x20 || $0 == 0x7f }
    }

    /// The name to try after this one was found to be taken: `X`, `X #2`, `X #3` …, as Avahi counts
    /// (`avahi_alternative_service_name`), never longer than 63 bytes.
    public var alternative: ServiceName {
        let (base, number) = splitNumber(text)
        let next = number.flatMap { $0 < Int.max ? $0 + 1 : nil } ?? 2
        let suffix = " #\(next)"
        return ServiceName(unchecked: cut(base, toBytes: Self.maximumLength - suffix.utf8.count) + suffix)
    }
}

/// `X #7` as `X` and 7; a text without such an end, or with a number too large to count on from, as itself and nil.
private func splitNumber(_ text: String) -> (base: String, number: Int?) {
    guard let mark = text.lastIndex(of: "#"), mark > text.startIndex else { return (text, nil) }
    let space = text.index(before: mark)
    let digits = text[text.index(after: mark)...]
    guard text[space] == " ", digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), digits.first != "0",
        let number = Int(digits), number < Int.max
    else { return (text, nil) }
    return (String(text[..<space]), number)
}

/// The longest beginning of `text` that has at most `limit` bytes and ends between two characters.
private func cut(_ text: String, toBytes limit: Int) -> String {
    var length = 0
    let kept = text.prefix { character in
        length += character.utf8.count
        return length <= limit
    }
    if !kept.isEmpty || text.isEmpty { return String(kept) }
    // One character of more than `limit` bytes (a family emoji with many joiners): cut between its scalars.
    var scalars = String.UnicodeScalarView()
    length = 0
    for scalar in text.unicodeScalars {
        length += UTF8.width(scalar)
        if length > limit { break }
        scalars.append(scalar)
    }
    return String(scalars)
}
