/// What the daemon says of how it knows something.
public struct SightingFlags: OptionSet, Hashable, Sendable {
    /// The bits; of no meaning outside this type.
    public let rawValue: UInt8

    /// A set by its bits.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The daemon knew it before this browse asked; whether it is still there shows within the lifetime of its records.
    public static let cached = SightingFlags(rawValue: 1)
    /// It is this host's own.
    public static let local = SightingFlags(rawValue: 2)
    /// It was published by this process, through the same `Discovery`.
    public static let own = SightingFlags(rawValue: 4)
}

/// On which ways something is seen, and how the daemon knows it on each.
public struct Sightings: Hashable, Sendable {
    private struct Place: Hashable {
        let path: ServicePath
        let flags: SightingFlags
    }

    private let places: [Place]

    /// Whether a configuration names it, the daemon's or this process's, so that it is there without being seen. Domains only.
    public let isConfigured: Bool

    /// Something that is seen on these ways.
    public init(_ flags: [ServicePath: SightingFlags], isConfigured: Bool = false) {
        places = flags.map { Place(path: $0.key, flags: $0.value) }.sorted { $0.path < $1.path }
        self.isConfigured = isConfigured
    }

    /// Something that is seen on these ways, of which the daemon says nothing more.
    public init(paths: [ServicePath]) {
        places = paths.sorted().map { Place(path: $0, flags: []) }
        isConfigured = false
    }

    /// What a merger knows, which is sorted already.
    init(sorted places: some Sequence<(path: ServicePath, flags: SightingFlags)>, isConfigured: Bool) {
        self.places = places.map { Place(path: $0.path, flags: $0.flags) }
        self.isConfigured = isConfigured
    }

    /// The ways, sorted.
    public var paths: [ServicePath] { places.map(\.path) }

    /// Whether it is neither seen nor configured.
    public var isEmpty: Bool { places.isEmpty && !isConfigured }

    /// What the daemon says of one way; nothing where it is not seen there. As it was when the daemon last told of it there: a
    /// change of the flags alone is no event.
    public func flags(on path: ServicePath) -> SightingFlags { places.first { $0.path == path }?.flags ?? [] }

    /// What the daemon says of any of the ways.
    public var flags: SightingFlags { places.reduce(into: []) { $0.formUnion($1.flags) } }
}
