internal import DiscoverableCore
internal import FuzzSupport

/// A name is a text of 1 to 63 bytes without NUL, and stays as it is.
func checkName(_ text: String) -> ServiceName? {
    let isAllowed = (1...63).contains(text.utf8.count) && !text.utf8.contains(0)
    let name = parsed(text, isAllowed: isAllowed) { (text) throws(DiscoveryError) in try ServiceName(text) }
    if let name { claim(name.text.utf8.elementsEqual(text.utf8), "\(text) became \(name)") }
    return name
}

/// A type is an underscore, letters and digits, and a transport; a dot at the end is dropped.
func checkType(_ text: String) -> ServiceType? {
    let bytes = withoutLastDot(text)
    let labels = bytes.split(separator: 0x2e, omittingEmptySubsequences: false)
    let isAllowed =
        labels.count == 2 && (2...63).contains(labels[0].count) && labels[0].first == 0x5f
        && labels[0].dropFirst().allSatisfy(isLetterDigitHyphenOrUnderscore)
        && ["_tcp", "_udp"].contains(FuzzInput.text(labels[1]).lowercased()) && labels[1].count == 4
    let type = parsed(text, isAllowed: isAllowed) { (text) throws(DiscoveryError) in try ServiceType(text) }
    guard let type else { return nil }
    claim(type.text.utf8.elementsEqual(bytes), "\(text) became \(type)")
    claim((try? ServiceType(type.text + ".")) == type, "\(type) with a dot is another one")
    claim(type.isUDP == (bytes[bytes.count - 3] | 0x20 == 0x75), "\(type) over UDP: \(type.isUDP)")
    return type
}

/// A domain is labels of visible ASCII; a dot at the end is dropped.
func checkDomain(_ text: String) -> Domain? {
    let bytes = withoutLastDot(text)
    let labels = bytes.split(separator: 0x2e, omittingEmptySubsequences: false)
    let isAllowed =
        bytes.count <= 253 && labels.allSatisfy { (1...63).contains($0.count) }
        && bytes.allSatisfy { $0 > 0x20 && $0 < 0x7f }
    let domain = parsed(text, isAllowed: isAllowed) { (text) throws(DiscoveryError) in try Domain(text) }
    guard let domain else { return nil }
    claim(domain.text.utf8.elementsEqual(bytes), "\(text) became \(domain)")
    claim((try? Domain(domain.text + ".")) == domain, "\(domain) with a dot is another one")
    return domain
}

/// The beginning of a text is a name wherever it is one at all.
func checkTruncating(_ text: String) {
    guard let name = try? ServiceName(truncating: text) else {
        return claim(text.isEmpty || text.utf8.contains(0), "\(text) makes no name")
    }
    claim(text.utf8.starts(with: name.text.utf8), "\(text) was cut to \(name)")
    claim(text.utf8.count <= 63 ? name.text.utf8.count == text.utf8.count : true, "\(text) was cut for nothing")
}

/// Alternatives are names, and go on to differ.
func checkAlternatives(_ name: ServiceName) {
    var seen = [name]
    for _ in 0..<4 {
        let next = seen[seen.count - 1].alternative
        claim((try? ServiceName(next.text)) != nil, "the alternative \(next) is no name")
        claim(!seen.contains(next), "the alternative \(next) comes again after \(name)")
        seen.append(next)
    }
}

/// The parsed name; it must be there exactly where the plain rule allows it.
private func parsed<Name>(
    _ text: String,
    isAllowed: Bool,
    _ parse: (String) throws(DiscoveryError) -> Name
) -> Name? {
    do throws(DiscoveryError) {
        let name = try parse(text)
        claim(isAllowed, "\(text) was accepted as \(Name.self)")
        return name
    } catch {
        claim(!isAllowed && error.code == .invalidName, "\(text) was refused: \(error)")
        return nil
    }
}

private func withoutLastDot(_ text: String) -> [UInt8] {
    let bytes = Array(text.utf8)
    return bytes.last == 0x2e ? bytes.dropLast() : bytes
}

private func isLetterDigitHyphenOrUnderscore(_ byte: UInt8) -> Bool {
    let isLetter = byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7a
    return isLetter || (byte >= 0x30 && byte <= 0x39) || byte == 0x2d || byte == 0x5f
}
