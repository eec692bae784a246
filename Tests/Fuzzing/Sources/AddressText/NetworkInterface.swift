internal import DiscoverableCore

/// The interfaces of a host in place of this one's, for the parser that is compiled here: the same on every machine, and one with
/// the name that is another one's number.
enum NetworkInterface {
    private static let numbers: [String: UInt32] = ["lan0": 3, "eth0]": 4, "7": 5]

    static func index(of name: String) -> InterfaceIndex? { numbers[name].map(InterfaceIndex.init(rawValue:)) }

    static func name(of index: InterfaceIndex) -> String? { numbers.first { $0.value == index.rawValue }?.key }
}
