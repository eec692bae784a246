import Testing

/// A multicast DNS answer made by hand, with whatever a careless or hostile peer may put into one.
struct RawPacket {
    struct Record {
        var name: [UInt8]
        var type: UInt16
        var data: [UInt8]
        /// Whether it takes the place of all others of its name and type (RFC 6762 section 10.2).
        var isUnique = true
        /// The length of the data as the packet has it; nil for the true one.
        var claimedLength: Int?
    }

    var records: [Record]

    static let pointer: UInt16 = 12
    static let text: UInt16 = 16
    static let service: UInt16 = 33
    static let address: UInt16 = 1

    var bytes: [UInt8] {
        [0, 0, 0x84, 0, 0, 0] + big(UInt16(records.count)) + [0, 0, 0, 0] + records.flatMap(bytes)
    }

    private func bytes(of record: Record) -> [UInt8] {
        record.name + big(record.type) + big(record.isUnique ? 0x8001 : 1) + [0, 0, 0, 120]
            + big(UInt16(record.claimedLength ?? record.data.count)) + record.data
    }
}

extension RawPacket {
    /// A PTR record: something of a kind.
    static func pointer(_ kind: [UInt8], to name: [UInt8]) -> Record {
        Record(name: kind, type: pointer, data: name, isUnique: false)
    }

    /// A service's PTR, SRV and TXT records, and the A record of its host.
    static func service(
        _ name: [UInt8],
        of type: [UInt8],
        port: UInt16,
        text: [UInt8],
        at host: [UInt8],
        _ ip: [UInt8]
    ) -> RawPacket {
        RawPacket(records: [
            pointer(type, to: name),
            Record(name: name, type: service, data: [0, 0, 0, 0] + big(port) + host),
            Record(name: name, type: self.text, data: text),
            Record(name: host, type: address, data: ip),
        ])
    }
}

/// A number in network order.
private func big(_ number: UInt16) -> [UInt8] { [UInt8(number >> 8), UInt8(number & 0xff)] }

/// A name of labels as the wire has it; nothing is checked.
func wireName(_ labels: [[UInt8]]) -> [UInt8] { labels.flatMap { [UInt8(truncatingIfNeeded: $0.count)] + $0 } + [0] }

/// A name of labels of text.
func wireName(_ labels: String...) -> [UInt8] { wireName(labels.map { Array($0.utf8) }) }

/// Starts the raw peer in the place of beta's daemon; it has sent everything once when this returns.
func startRawPeer(_ packets: [RawPacket]) async throws -> ChildProcess {
    let lines = packets.map { packet in
        packet.bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
    let command =
        [try #require(Testbed.control), "on", "beta"] + Testbed.peerScript("raw_mdns.py") + [
            try await ipv4Address(of: "beta")
        ]
    let peer = try ChildProcess(command, input: .lines(lines))
    _ = try await peer.line(within: .seconds(10)) { $0 == "sent" }
    return peer
}
