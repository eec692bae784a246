/// What a DNS record says, by its type.
public enum RecordData: Hashable, Sendable {
    /// An IPv4 address.
    case a(IPv4Address)
    /// An IPv6 address.
    case aaaa(IPv6Address)
    /// The name that this one is another name of.
    case cname(DNSName)
    /// A name that is pointed to.
    case ptr(DNSName)
    /// Where a service listens.
    case srv(ServiceLocation)
    /// Strings.
    case txt(TXTRecord)
    /// What kind of machine a host is.
    case hinfo(HostInformation)
    /// The bytes of any other type.
    case raw(RecordType, [UInt8])

    /// Where a service listens (RFC 2782).
    public struct ServiceLocation: Hashable, Sendable {
        /// The lowest is to be tried first.
        public var priority: UInt16
        /// The share among those of equal priority.
        public var weight: UInt16
        /// The port.
        public var port: UInt16
        /// The host; the root where the service is not to be had.
        public var target: DNSName

        /// A port of a host.
        public init(priority: UInt16 = 0, weight: UInt16 = 0, port: UInt16, target: DNSName) {
            self.priority = priority
            self.weight = weight
            self.port = port
            self.target = target
        }
    }

    /// What kind of machine a host is (RFC 1035 section 3.3.2): two texts of at most 255 bytes each.
    public struct HostInformation: Hashable, Sendable {
        /// The processor, such as `X86_64`.
        public let cpu: [UInt8]
        /// The operating system, such as `LINUX`.
        public let system: [UInt8]

        /// The two texts.
        /// - Throws: `DiscoveryError` with code `invalidRecord` where one has more than 255 bytes.
        public init(cpu: [UInt8], system: [UInt8]) throws(DiscoveryError) {
            if max(cpu.count, system.count) > 255 {
                throw malformed(.hinfo, "a text has more than 255 bytes; shorten it")
            }
            self.cpu = cpu
            self.system = system
        }
    }

    /// The type of a record that says this.
    public var type: RecordType {
        switch self {
        case .a: .a
        case .aaaa: .aaaa
        case .cname: .cname
        case .ptr: .ptr
        case .srv: .srv
        case .txt: .txt
        case .hinfo: .hinfo
        case .raw(let type, _): type
        }
    }
}

// MARK: - The wire

extension RecordData {
    /// Parses the data of a record. Avahi hands over every name whole, without compression.
    /// - Throws: `DiscoveryError` with code `invalidRecord` where the data is not of its type: too short, or with bytes left
    ///   over.
    public init(type: RecordType, rdata: Span<UInt8>) throws(DiscoveryError) {
        var reader = RecordReader(type: type, rdata)
        switch type {
        case .a: self = .a(try address(reader.rest(of: 4)) { IPv4Address($0[0], $0[1], $0[2], $0[3]) })
        case .aaaa: self = .aaaa(try address(reader.rest(of: 16)) { IPv6Address(bytes: $0) })
        case .cname: self = .cname(try reader.name())
        case .ptr: self = .ptr(try reader.name())
        case .srv:
            self = .srv(
                ServiceLocation(
                    priority: try reader.number(),
                    weight: try reader.number(),
                    port: try reader.number(),
                    target: try reader.name()
                )
            )
        case .txt: self = .txt(try reader.strings())
        case .hinfo: self = .hinfo(try HostInformation(cpu: reader.string(), system: reader.string()))
        // A type is a number, of which there are more than this knows.
        default: self = .raw(type, reader.remainder())
        }
        try reader.end()
    }

    /// The data as it stands on the wire, its names whole.
    public var rdata: [UInt8] {
        switch self {
        case .a(let address): address.bytes
        case .aaaa(let address): address.bytes
        case .cname(let name), .ptr(let name): name.rdata
        case .srv(let location):
            [location.priority, location.weight, location.port].flatMap { [UInt8($0 >> 8), UInt8($0 & 0xff)] }
                + location.target.rdata
        case .txt(let record): record.rdata
        case .hinfo(let info): [info.cpu, info.system].flatMap { [UInt8($0.count)] + $0 }
        case .raw(_, let bytes): bytes
        }
    }

    /// The length of `rdata` in bytes.
    public var encodedLength: Int {
        switch self {
        case .a: 4
        case .aaaa: 16
        case .cname(let name), .ptr(let name): name.encodedLength
        case .srv(let location): 6 + location.target.encodedLength
        case .txt(let record): record.encodedLength
        case .hinfo(let info): 2 + info.cpu.count + info.system.count
        case .raw(_, let bytes): bytes.count
        }
    }
}

/// An address of bytes whose number has been seen to.
private func address<Address>(_ bytes: [UInt8], _ make: ([UInt8]) -> Address?) throws(DiscoveryError) -> Address {
    guard let address = make(bytes) else { throw malformed(.aaaa, "an address has the wrong length") }
    return address
}

func malformed(_ type: RecordType, _ explanation: String) -> DiscoveryError {
    DiscoveryError(.invalidRecord, operation: "reading the data of a \(type) record", explanation: explanation)
}
