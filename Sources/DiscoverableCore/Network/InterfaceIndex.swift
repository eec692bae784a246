/// A network interface by its number in the kernel (`if_nametoindex`); numbers start at 1.
public struct InterfaceIndex: RawRepresentable, BitwiseCopyable, Hashable, Comparable, Sendable {
    /// The kernel's number.
    public let rawValue: UInt32

    /// The interface with the kernel's number `rawValue`.
    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// Orders by number.
    public static func < (left: InterfaceIndex, right: InterfaceIndex) -> Bool {
        left.rawValue < right.rawValue
    }
}
