internal import Discoverable

/// One line of output: what `--json` prints as an object, and what people get as columns.
struct Line: Encodable, Hashable {
    var event: String
    var name: String?
    var type: String?
    var domain: String?
    var paths: [Path]?
    var host: String?
    var port: UInt16?
    var addresses: [String]?
    /// What a record says, as zone files spell it.
    var data: String?
    /// Another name of the host.
    var alias: String?
    var txt: [TXTItem]?
    var peer: String?
    var text: String?
    var strength: Int?
    var rtt: Double?
    var reason: String?
    var seconds: Double?

    init(_ event: String) {
        self.event = event
    }

    struct Path: Encodable, Hashable {
        let interface: String
        let family: String
    }

    /// A key with its value: as text, in base64 where it is not UTF-8, as null where there is none.
    struct TXTItem: Encodable, Hashable {
        let entry: TXTRecord.Entry

        private enum Key: String, CodingKey { case key, value, base64 }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(entry.key, forKey: .key)
            if let text = entry.text {
                try container.encode(text, forKey: .value)
            } else if let value = entry.value {
                try container.encode(base64(value), forKey: .base64)
            } else {
                try container.encodeNil(forKey: .value)
            }
        }
    }
}

extension Line {
    init(_ event: String, _ service: BrowsedService) {
        self.init(event, service.instance)
        paths = service.paths.map(Path.init)
    }

    init(_ event: String, _ instance: ServiceInstance) {
        self.init(event)
        name = instance.name.text
        type = instance.type.text
        domain = instance.domain.text
    }

    mutating func add(_ resolved: ResolvedService) {
        host = resolved.host
        port = resolved.port
        addresses = resolved.addresses.map(\.hostText)
        txt = resolved.txt.entries.map(TXTItem.init)
    }
}

extension Line.Path {
    init(_ path: ServicePath) {
        interface = path.interface.name ?? String(path.interface.rawValue)
        family = path.family.description
    }
}
