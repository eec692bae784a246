internal import DiscoverableCore
internal import FuzzSupport

/// Takes the input, cut at its first line feed, as two texts from the network, and each as a name, a type and a domain.
@c(LLVMFuzzerTestOneInput)
public func fuzzDiscoveryNames(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = unsafe FuzzInput.bytes(start, count)
    let texts = bytes.split(separator: 0x0a, maxSplits: 1, omittingEmptySubsequences: false).map(FuzzInput.text)
    let names = texts.compactMap(checkName)
    let types = texts.compactMap(checkType)
    let domains = texts.compactMap(checkDomain)
    texts.forEach(checkTruncating)
    names.forEach(checkAlternatives)
    checkComparison(names)
    checkComparison(types)
    checkComparison(domains)
    return 0
}

/// Two names are equal, ordered and hashed as their bytes with small letters.
private func checkComparison(_ names: [some DNSComparable]) {
    for left in names {
        for right in names {
            let (first, second) = (plainKey(left.text), plainKey(right.text))
            claim((left == right) == (first == second), "\(left) and \(right) are equal: \(left == right)")
            claim((left < right) == first.lexicographicallyPrecedes(second), "\(left) < \(right) is \(left < right)")
            if left == right { claim(left.hashValue == right.hashValue, "\(left) and \(right) hash differently") }
        }
    }
}

private func plainKey(_ text: String) -> [UInt8] {
    text.utf8.map { byte in byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte }
}
