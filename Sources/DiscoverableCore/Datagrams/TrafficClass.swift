/// temporary until branch b is merged
public struct TrafficClass: RawRepresentable, Hashable, Sendable {
    /// raw
    public let rawValue: UInt8
    /// init
    public init(rawValue: UInt8) { self.rawValue = rawValue }
}
