internal import DiscoverableCore
internal import FuzzSupport

/// Takes the input as a datagram, and where it is text also as a message and as a name.
@c(LLVMFuzzerTestOneInput)
public func fuzzSessionsDatagram(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = unsafe FuzzInput.bytes(start, count)
    for (prefix, refusesWords) in [("dscv", true), ("astv", false)] {
        let check = FormatCheck(prefix: prefix, refusesWords: refusesWords)
        check.checkParsing(bytes)
        guard let text = String(validating: bytes, as: UTF8.self) else { continue }
        check.checkMessage(text)
        check.checkName(text)
    }
    return 0
}
