/// How many record browsers following may use, of which everybody shares the daemon's quota: a fixed part of it, and less
/// for a while once the daemon has refused one.
public struct FollowingBudget: Sendable {
    /// Three quarters of the 1,024 objects that Avahi allows a client: the others are for browses, publications and resolves.
    public static let initialLimit = 768
    /// The most that one service costs: SRV, TXT, A and AAAA.
    public static let costOfService = 4
    /// How long a refusal is remembered.
    public static let memory = Duration.seconds(30)

    private var limit = FollowingBudget.initialLimit
    private var holdsUntil: Instant?

    /// A budget that nothing was refused of.
    public init() {}

    /// Whether another service may be followed by its records beside those `used` record browsers.
    public mutating func hasRoom(beside used: Int, now: Instant) -> Bool {
        if let holdsUntil, now >= holdsUntil { self = FollowingBudget() }
        return used + Self.costOfService <= limit
    }

    /// The daemon refused an object while `used` record browsers were there. Returns how many may stay, so that something is
    /// left for resolving.
    public mutating func refused(at used: Int, now: Instant) -> Int {
        limit = max(0, used - max(Self.costOfService, used / 8))
        holdsUntil = now.advanced(by: Self.memory)
        return limit
    }
}
