/// What a row's ratio has to reach.
package enum Goal: Sendable, Equatable {
    case atLeast(Double)
    case atMost(Double)

    /// The ratio that is just good enough.
    package var limit: Double {
        switch self {
        case .atLeast(let limit), .atMost(let limit): limit
        }
    }

    package func isMet(by ratio: Double) -> Bool {
        switch self {
        case .atLeast(let limit): ratio >= limit
        case .atMost(let limit): ratio <= limit
        }
    }
}

/// What the goal of a row with a reference speaks of.
package enum Comparison: Sendable {
    /// Ours over the reference's.
    case ratio
    /// Ours less the reference's, in the row's unit.
    case difference

    package func of(_ ours: Double, _ reference: Double) -> Double {
        switch self {
        case .ratio: ours / reference
        case .difference: ours - reference
        }
    }
}

/// Which way a row's figures improve.
package enum Better: String, Sendable {
    case higher
    case lower
}
