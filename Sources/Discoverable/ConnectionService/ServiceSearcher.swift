internal import AvahiDiscovery
internal import DiscoverableCore
@_spi(Package) internal import DiscoverableRuntime

/// Carries out a `ServiceSearch`: one search, with timers and tasks that end with it.
final class ServiceSearcher: Sendable {
    typealias Outcome = Result<ResolvedService, DiscoverableError>

    private let discovery: Discovery
    private let timeout: Duration
    private let search = Locked(ServiceSearch())
    private let answer = SingleAnswer<Outcome>()

    private init(_ discovery: Discovery, _ timeout: Duration) {
        self.discovery = discovery
        self.timeout = timeout
    }

    /// Looks for a service for `timeout`, then waits for what was found to tell its address, for `timeout` each. Cancelling
    /// ends it at once.
    static func first(of type: ServiceType, within timeout: Duration, _ discovery: Discovery) async -> Outcome {
        await ServiceSearcher(discovery, timeout).run(type)
    }

    private func run(_ type: ServiceType) async -> Outcome {
        let browse = Task { await self.browse(type) }
        let timer = EventLoop.shared.schedule(after: timeout) {
            self.finish(self.search.withLock { $0.browsingTimedOut() })
        }
        defer {
            browse.cancel()
            timer.cancel()
        }
        return await withTaskCancellationHandler {
            await answer.wait()
        } onCancel: {
            answer.give(.failure(.discoverResolveCanceled))
        }
    }

    /// Ends with its task, and takes what it has begun with it.
    private func browse(_ type: ServiceType) async {
        await withDiscardingTaskGroup { group in
            do throws(DiscoveryError) {
                for try await event in discovery.browse(type) {
                    let action = search.withLock { $0.browsed(event) }
                    if case .resolve(let service) = action { group.addTask { await self.resolve(service) } }
                }
            } catch {
                finish(search.withLock { $0.browsingFailed(error) })
            }
        }
    }

    private func resolve(_ service: BrowsedService) async {
        let result: Result<ResolvedService, DiscoveryError>
        do throws(DiscoveryError) {
            result = .success(try await discovery.resolve(service, timeout: timeout))
        } catch {
            result = .failure(error)
        }
        finish(search.withLock { $0.resolved(service.instance, result) })
    }

    private func finish(_ action: ServiceSearch.Action) {
        switch action {
        case .none, .resolve: break
        case .finish(let outcome): answer.give(outcome)
        }
    }
}
