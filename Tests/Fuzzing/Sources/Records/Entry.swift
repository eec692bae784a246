internal import DiscoverableCore
internal import FuzzSupport

/// Takes the first byte of the input as a type of record and the others as its data; and all of it as an escaped name.
@c(LLVMFuzzerTestOneInput)
public func fuzzRecords(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = unsafe FuzzInput.bytes(start, count)
    var choices = Choices(bytes)
    checkData(choices.one(of: types), Array(bytes.dropFirst()))
    checkText(FuzzInput.text(bytes))
    return 0
}

private let types: [RecordType] = [.a, .aaaa, .cname, .ptr, .srv, .txt, .hinfo, RecordType(rawValue: 65)]

/// What is taken becomes the same data again, except that a TXT record loses its empty strings; what is refused is malformed.
private func checkData(_ type: RecordType, _ bytes: [UInt8]) {
    do throws(DiscoveryError) {
        let data = try RecordData(type: type, rdata: bytes.span)
        let again = data.rdata
        claim(data.type == type, "\(type) became \(data.type)")
        claim(type == .txt || again == bytes, "\(bytes) became \(again)")
        claim(again.count == data.encodedLength, "\(again.count) bytes, not \(data.encodedLength)")
        claim((try? RecordData(type: type, rdata: again.span)) == data, "the data of \(data) is another record")
        checkNames(in: data)
        checkPrefix(of: data, again)
    } catch {
        claim(error.code == .invalidRecord, "refused with \(error)")
    }
}

/// Data that lacks its last byte is refused where its type says how long it is.
private func checkPrefix(of data: RecordData, _ bytes: [UInt8]) {
    switch data {
    case .a, .aaaa, .cname, .ptr, .srv, .hinfo:
        let short = Array(bytes.dropLast())
        claim((try? RecordData(type: data.type, rdata: short.span)) == nil, "\(data) is read from \(short)")
    case .txt, .raw: break
    }
}

private func checkNames(in data: RecordData) {
    switch data {
    case .cname(let name), .ptr(let name): checkName(name)
    case .srv(let location): checkName(location.target)
    case .a, .aaaa, .txt, .hinfo, .raw: break
    }
}

/// A text is a name only within the limits of DNS, and is then one however its ASCII letters are spelt.
private func checkText(_ text: String) {
    do throws(DiscoveryError) {
        let name = try DNSName(text)
        checkName(name)
        let plain = text.utf8.allSatisfy { $0 < 0x80 }
        claim(!plain || (try? DNSName(text.uppercased())) == name, "\(text.uppercased()) is another name than \(text)")
    } catch {
        claim(error.code == .invalidName, "refused with \(error)")
    }
}

private func checkName(_ name: DNSName) {
    let labels = name.labels
    claim(labels.allSatisfy { (1...63).contains($0.count) }, "labels of \(name): \(labels)")
    claim(name.encodedLength <= DNSName.maximumLength, "\(name) has \(name.encodedLength) bytes")
    claim(name.rdata.count == name.encodedLength, "\(name.rdata.count) bytes, not \(name.encodedLength)")
    claim(name.text.utf8.allSatisfy { (0x21...0x7e).contains($0) }, "\(name.text) holds what should be escaped")
    claim((try? DNSName(labels: labels))?.text == name.text, "the labels of \(name) are another name")
    claim((try? DNSName(name.text))?.text == name.text, "the text of \(name) is another name")
    var position = 0
    claim((try? DNSName(rdata: name.rdata.span, at: &position)) == name, "the data of \(name) is another name")
    claim(position == name.encodedLength, "\(name) ends at \(position)")
    claim(name.isWithin(.root) && name.isWithin(name), "\(name) is not within itself")
}
