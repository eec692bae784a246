import AvahiDiscovery
import DiscoverableRuntime

@testable import Discoverable

extension Discoverable {
    /// A service with rules and times of the test's.
    static func with(
        _ configuration: SessionConfiguration,
        discoverTimeout: Duration = .seconds(5),
        discovery: Discovery? = nil
    ) -> Discoverable {
        Discoverable(
            configuration: configuration,
            times: ConnectionTimes(discover: discoverTimeout, lookUp: .seconds(5)),
            discovery: discovery
        )
    }
}
