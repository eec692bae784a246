internal import AvahiDiscovery
internal import CInstruments
internal import Measuring

/// Not counted, as the reference has it: the first ones find caches cold.
private let warmUp = 20

/// Says the median delay of a browse's events, in microseconds. Each service is named after the moment at which the daemon's
/// signal left.
func receiveEvents(samples wanted: Int) async throws {
    var samples: [Double] = []
    for try await event in try Discovery().browse(try ServiceType("_stamps._tcp")) {
        guard case .added(let service) = event else { continue }
        let now = instruments_now_nanoseconds()
        guard let sent = UInt64(service.instance.name.text) else { continue }
        samples.append(Double(now - sent) / 1e3)
        if samples.count == warmUp + wanted { break }
    }
    guard let median = Array(samples.dropFirst(warmUp)).median else { throw WorkerError(description: "nothing came") }
    print(median)
}
