internal import DiscoverableCore
internal import FuzzSupport

/// Takes the input as record data, and cut at its line feeds as the strings of a record.
@c(LLVMFuzzerTestOneInput)
public func fuzzTXT(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = unsafe FuzzInput.bytes(start, count)
    checkRecordData(bytes)
    checkStrings(bytes.split(separator: 0x0a, omittingEmptySubsequences: false).map(Array.init))
    return 0
}

/// Data is refused only where it ends too early; else its strings are kept, and become the same data again.
private func checkRecordData(_ bytes: [UInt8]) {
    let strings = plainStrings(bytes)
    let record: TXTRecord
    do throws(DiscoveryError) {
        record = try TXTRecord(rdata: bytes.span)
    } catch {
        claim(strings == nil && error.code == .invalidTXTRecord, "whole data was refused: \(error)")
        return
    }
    claim(record.strings == strings?.filter { !$0.isEmpty }, "the strings are \(record.strings)")
    checkRecord(record)
}

/// A record is refused only for its sizes.
private func checkStrings(_ strings: [[UInt8]]) {
    let kept = strings.filter { !$0.isEmpty }
    let length = max(1, kept.reduce(kept.count) { $0 + $1.count })
    let isAllowed = strings.allSatisfy { $0.count <= 255 } && length <= TXTRecord.maximumLength
    do throws(DiscoveryError) {
        let record = try TXTRecord(strings: strings)
        claim(isAllowed && record.strings == kept, "\(strings) became \(record.strings)")
        checkRecord(record)
    } catch {
        claim(!isAllowed && error.code == .invalidTXTRecord, "\(strings) were refused: \(error)")
    }
}

private func checkRecord(_ record: TXTRecord) {
    let data = record.rdata
    claim(data.count == record.encodedLength, "\(data.count) bytes, not \(record.encodedLength)")
    claim((try? TXTRecord(rdata: data.span)) == record, "the data of \(record.strings) is another record")
    checkEntries(record)
}

/// Keys are found however they are spelt, and the entries make a record that reads alike.
private func checkEntries(_ record: TXTRecord) {
    let entries = record.entries
    claim(entries.count <= record.strings.count, "more entries than strings")
    // Each search reads the whole record: the first and the last entries stand for all.
    for entry in entries.prefix(3) + entries.suffix(3) {
        claim(!entry.key.isEmpty && entry.key.utf8.allSatisfy { (0x20...0x7e).contains($0) && $0 != 0x3d }, entry.key)
        for spelling in [entry.key, entry.key.uppercased(), entry.key.lowercased()] {
            claim(record[spelling] == entry, "\(spelling) finds \(String(describing: record[spelling]))")
        }
        let string = Array(entry.key.utf8) + (entry.value.map { [0x3d] + $0 } ?? [])
        claim(record.strings.contains(string), "\(entry) stands in no string")
        claim(entry.text.map { Array($0.utf8) == entry.value } ?? true, "the text of \(entry)")
    }
    guard record.encodedLength <= TXTRecord.maximumLength else { return }
    claim((try? TXTRecord(entries))?.entries == entries, "the record of \(entries) reads otherwise")
}

/// The strings by the rule of RFC 1035; nil where the last is cut off.
private func plainStrings(_ bytes: [UInt8]) -> [[UInt8]]? {
    var strings: [[UInt8]] = []
    var rest = bytes[...]
    while let length = rest.popFirst() {
        guard rest.count >= length else { return nil }
        strings.append(Array(rest.prefix(Int(length))))
        rest = rest.dropFirst(Int(length))
    }
    return strings
}
