/// The bytes of one run.
package enum FuzzInput {
    /// What libFuzzer hands in, copied: it may be read beyond the call.
    package static func bytes(_ start: UnsafePointer<UInt8>?, _ count: Int) -> [UInt8] {
        unsafe Array(UnsafeBufferPointer(start: start, count: count))
    }

    /// The bytes as text, with what is not UTF-8 replaced.
    package static func text(_ bytes: some Sequence<UInt8>) -> String {
        String(decoding: Array(bytes), as: UTF8.self)
    }
}
