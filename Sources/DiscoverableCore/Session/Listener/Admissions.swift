/// Who is admitted, within a limit.
///
/// A discover's address may be forged, and the classic protocol has no way to find out. So a client that has said nothing else
/// holds its place only as long as nobody else needs it: when all places are taken, the one that has been silent for the longest
/// gives way. A flood of forged discovers thereby displaces itself, and never a client that has spoken.
struct Admissions: Sendable {
    enum Standing { case stranger, unproven, proven }

    enum Result: Hashable {
        case admitted(displacing: SocketAddress?)
        /// All places are taken by clients that have spoken.
        case full
    }

    private let limit: Int
    /// Each with the number under which it waits for a first word; nil once it has spoken.
    private var admitted: [SocketAddress: UInt64?] = [:]
    /// Those that have not spoken, by the time of their admission. Some may have spoken or left since: their number tells.
    private var silent: [(address: SocketAddress, number: UInt64)] = []
    private var firstSilent = 0
    private var lastNumber: UInt64 = 0

    init(limit: Int) { self.limit = limit }

    var count: Int { admitted.count }

    func standing(of address: SocketAddress) -> Standing {
        switch admitted[address] {
        case nil: .stranger
        case .some(nil): .proven
        case .some(.some): .unproven
        }
    }

    mutating func admit(_ address: SocketAddress) -> Result {
        var displaced: SocketAddress?
        if admitted.count >= limit {
            displaced = takeLongestSilent()
            guard let displaced else { return .full }
            admitted[displaced] = nil
        }
        lastNumber += 1
        admitted[address] = .some(lastNumber)
        silent.append((address, lastNumber))
        compact()
        return .admitted(displacing: displaced)
    }

    mutating func prove(_ address: SocketAddress) {
        if admitted[address] != nil { admitted[address] = .some(nil) }
    }

    /// Returns whether it was admitted.
    mutating func remove(_ address: SocketAddress) -> Bool { admitted.removeValue(forKey: address) != nil }

    private mutating func takeLongestSilent() -> SocketAddress? {
        while firstSilent < silent.count {
            let (address, number) = silent[firstSilent]
            firstSilent += 1
            if admitted[address] == .some(number) { return address }
        }
        return nil
    }

    /// Forgets places in the queue that mean nobody, when they are most of it.
    private mutating func compact() {
        guard silent.count > 2 * limit + 16 else { return }
        silent = silent[firstSilent...].filter { admitted[$0.address] == .some($0.number) }
        firstSilent = 0
    }
}
