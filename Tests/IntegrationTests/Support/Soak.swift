import Foundation
import Testing

/// Tests that take minutes run only with `DISCOVERABLE_SOAK=1`.
let isSoak = ProcessInfo.processInfo.environment["DISCOVERABLE_SOAK"] == "1"

extension Trait where Self == ConditionTrait {
    /// For what takes minutes.
    static var soak: Self { .enabled(if: isSoak, "takes minutes: set DISCOVERABLE_SOAK=1") }
}
