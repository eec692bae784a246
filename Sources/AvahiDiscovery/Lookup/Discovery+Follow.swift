public import DiscoverableCore
internal import DiscoverableRuntime

/// One service as it is now, and again whenever that has changed.
public typealias ServiceFollower = LiveSequence<LatestValue<FollowedService>>

/// The services of one type that are truly there, with where they listen, as they come, change and go.
public typealias LiveServiceBrowser = LiveSequence<BrowseBacklog<FollowedService>>

extension Discovery {
    /// Follows one service: its port, host, TXT record and every address, as they change. The first element comes as soon as
    /// anything is known, and each consumer finds the newest; `isSettled` with no `service` says that it is not there.
    ///
    /// Costs two objects of the daemon, and two more for its host, which all services of that host share. Where the daemon has
    /// no more objects, or 768 are in use for this, it is resolved again and again instead, a few at a time, and `means` says so.
    ///
    /// - Parameters:
    ///   - instance: the service.
    ///   - scope: the part of the network to look on.
    public func follow(_ instance: ServiceInstance, on scope: DiscoveryScope = .everywhere) -> ServiceFollower {
        live {
            LatestValue()
        } begin: { connection, output, id in
            let task = FollowTask(instance: instance, scope: scope) {
                output.push($0)
            } fail: {
                output.finish(throwing: $0)
            }
            connection.begin(task, id: id)
        } end: { connection, id in
            connection.endFollow(id)
        }
    }

    /// The services of one type, with where they listen: `added` when all of it is known, `updated` whenever a port, a host, a
    /// TXT record, an address, a path or the means has changed, `removed` when the service is gone or nothing of its host's
    /// addresses is left. A service that is listed and does not answer is not told. `settled` comes when the network was asked
    /// for all that were listed at first.
    ///
    /// Costs one object of the daemon, two for each service, and two for each host; beyond what the daemon has, or 768,
    /// services are resolved again and again instead, a few at a time, and their `means` says so.
    ///
    /// - Parameters:
    ///   - type: the service type.
    ///   - domain: the domain.
    ///   - scope: the part of the network to look on.
    public func services(
        of type: ServiceType,
        domain: Domain = .local,
        on scope: DiscoveryScope = .everywhere
    ) -> LiveServiceBrowser {
        live {
            BrowseBacklog()
        } begin: { connection, output, id in
            connection.begin(ServiceGroup(type: type, domain: domain, scope: scope, output: output), id: id)
        } end: { connection, id in
            connection.endGroup(id)
        }
    }
}
