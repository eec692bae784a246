internal import Discoverable

/// What the daemon does when it is asked.
struct DaemonProbe {
    let discovery: Discovery

    /// How long a daemon may take to answer; a living one takes milliseconds.
    private static let patience = Duration.seconds(3)
    private static let roundTripType = "_dscv-doctor._udp"

    func daemon(process: Int32?) async -> Facts.Daemon {
        do throws(DiscoveryError) {
            return .runs(version: try await discovery.daemonVersion(timeout: Self.patience))
        } catch {
            if discovery.state == .noBus { return .noBus(error.explanation) }
            return error.code == .daemonNotResponding ? .hangs : .absent(process: process)
        }
    }

    /// The name under which the daemon tells of this host; nil where it does not say, as where it publishes nothing.
    func heldHostName() async -> String? {
        try? await discovery.localHost.identity(timeout: Self.patience).fullName.text
    }

    /// Publishes a service under a name that nobody else has, finds it, resolves it, and withdraws it.
    func roundTrip() async -> Facts.RoundTrip {
        let start = ContinuousClock.now
        let publication: Publication
        do throws(DiscoveryError) {
            publication = try await discovery.publish(try advertisement(), timeout: .seconds(15))
        } catch {
            return .publishingFailed(error)
        }
        let outcome = await follow(publication, since: start)
        await publication.withdraw()
        return outcome
    }

    private func advertisement() throws(DiscoveryError) -> ServiceAdvertisement {
        let number = UInt64.random(in: 0...UInt64.max)
        return ServiceAdvertisement(
            name: try ServiceName("dscv doctor \(String(number, radix: 36))"),
            type: try ServiceType(Self.roundTripType),
            port: 9
        )
    }

    private func follow(_ publication: Publication, since start: ContinuousClock.Instant) async -> Facts.RoundTrip {
        let name = publication.name
        return await cancelling(after: .seconds(8)) {
            await find(name, withdrawing: publication, since: start)
        }
    }

    /// The service has to appear in a browse, and to vanish from it when it is withdrawn.
    private func find(
        _ name: ServiceName,
        withdrawing publication: Publication,
        since start: ContinuousClock.Instant
    ) async -> Facts.RoundTrip {
        var resolved: ResolvedService?
        do throws(DiscoveryError) {
            for try await event in discovery.browse(try ServiceType(Self.roundTripType)) {
                switch event {
                case .added(let service) where service.instance.name == name:
                    resolved = try await discovery.resolve(service)
                    await publication.withdraw()
                case .removed(let service) where service.instance.name == name:
                    guard let resolved else { return .notFound }
                    let seconds = start.duration(to: .now).inSeconds
                    return .succeeded(host: resolved.host, seconds: seconds)
                case .added, .updated, .removed, .settled: continue
                }
            }
            // The time is over.
            return resolved == nil ? .notFound : .notWithdrawn
        } catch {
            return error.code == .cancelled ? .notFound : .resolvingFailed(error)
        }
    }
}

/// Runs `body`, and cancels it after `limit`; it is expected to end then, with what it has.
func cancelling<Value: Sendable>(
    after limit: Duration,
    _ body: @escaping @Sendable () async -> Value
) async -> Value {
    let work = Task { await body() }
    let timer = Task {
        // Cancelled where the work is done before.
        if (try? await Task.sleep(for: limit)) != nil { work.cancel() }
    }
    defer { timer.cancel() }
    return await withTaskCancellationHandler {
        await work.value
    } onCancel: {
        work.cancel()
    }
}
