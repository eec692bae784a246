internal import CInstruments
internal import DiscoverableConnection
internal import Measuring

/// Receives the time stamps that the reference's sender sends; says the median delay in microseconds.
@MainActor
func receiveStamps(samples: Int?) async throws {
    let samples = try required(samples)
    let socket = try await UDPSocket.announced()
    let receiving = Task { @EventLoopActor in
        var delays: [Double] = []
        for await datagram in socket.datagrams {
            let now = instruments_now_nanoseconds()
            delays.append(Double(now - stamp(in: datagram.bytes)) / 1000)
            if delays.count == samples { break }
        }
        return delays
    }
    Output.say(String(await receiving.value.median ?? 0))
}

/// A number in the byte order of this host.
private func stamp(in bytes: [UInt8]) -> UInt64 {
    var stamp: UInt64 = 0
    unsafe withUnsafeMutableBytes(of: &stamp) { unsafe $0.copyBytes(from: bytes.prefix(8)) }
    return stamp
}
