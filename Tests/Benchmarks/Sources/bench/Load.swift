/// What a client does: the same four numbers for every kind of client.
struct Load: Hashable, Sendable {
    /// Bytes of a datagram.
    let size: Int
    /// Datagrams under way at any time.
    let window: Int
    var warmUpMilliseconds = 100
    var measuredMilliseconds = 350

    static func echo(_ size: Int) -> Load { Load(size: size, window: 64) }
    static let pingPong = Load(size: 64, window: 1)

    /// A load that lasts until its client is ended.
    static func endless(_ size: Int) -> Load { Load(size: size, window: 64, measuredMilliseconds: 60_000) }

    var arguments: [String] { [size, window, warmUpMilliseconds, measuredMilliseconds].map(String.init) }

    /// The numbers at the front of a worker's arguments.
    init?(_ arguments: [Int]) {
        guard arguments.count >= 4 else { return nil }
        self.init(
            size: arguments[0],
            window: arguments[1],
            warmUpMilliseconds: arguments[2],
            measuredMilliseconds: arguments[3]
        )
    }

    init(size: Int, window: Int, warmUpMilliseconds: Int = 100, measuredMilliseconds: Int = 350) {
        self.size = size
        self.window = window
        self.warmUpMilliseconds = warmUpMilliseconds
        self.measuredMilliseconds = measuredMilliseconds
    }
}
