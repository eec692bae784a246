internal import Foundation

extension Duration {
    var inSeconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) / 1e18
    }

    /// For people: `0.4 ms`.
    var inMilliseconds: String { String(format: "%.1f ms", inSeconds * 1000) }
}
