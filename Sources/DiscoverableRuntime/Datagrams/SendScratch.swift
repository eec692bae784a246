internal import CSockets
@_spi(Package) package import DiscoverableCore
internal import Glibc

/// What a send call came to.
package enum SendResult: Sendable, Hashable {
    /// The kernel has so many messages.
    case sent(Int)
    /// The kernel has none: the call's `errno`.
    case failed(Int32)

    /// - Parameter number: `errno`; read where the call has failed.
    init(_ count: Int, number: @autoclosure () -> Int32) {
        self = count >= 0 ? .sent(count) : .failed(number())
    }
}

/// The headers of the messages of one send call (`sendmmsg`). Confined to its owner.
@safe package final class SendScratch {
    package static let capacity = 64

    private let headers: UnsafeMutablePointer<discoverable_message>
    private let vectors: UnsafeMutablePointer<iovec>
    private let names: UnsafeMutablePointer<sockaddr_in6>
    private let controls: UnsafeMutableRawPointer

    package init() {
        unsafe headers = .allocate(capacity: Self.capacity)
        unsafe vectors = .allocate(capacity: Self.capacity)
        unsafe names = .allocate(capacity: Self.capacity)
        unsafe controls = .allocate(byteCount: Self.capacity * Int(DISCOVERABLE_CONTROL_SIZE), alignment: 16)
    }

    deinit {
        unsafe headers.deallocate()
        unsafe vectors.deallocate()
        unsafe names.deallocate()
        unsafe controls.deallocate()
    }

    /// Sends what waits first, at most `capacity` messages; `bytes` is what their offsets count from.
    package func send(
        _ machine: borrowing SendMachine,
        bytes: UnsafeMutableRawPointer,
        on descriptor: DatagramDescriptor
    ) -> SendResult {
        if let only = machine.onlyPlainMessage {
            let bytes = unsafe UnsafeRawBufferPointer(start: bytes + only.offset, count: only.length)
            return unsafe descriptor.send(bytes, route: only.route)
        }
        var count = 0
        machine.forEachMessage(limit: Self.capacity) { message, isOnRouteOfLast in
            unsafe vectors[count] = iovec(iov_base: bytes + message.offset, iov_len: message.length)
            write(message, at: count, sharesName: isOnRouteOfLast, family: descriptor.family)
            count += 1
        }
        if count == 1 {
            let sent = unsafe discoverable_send_message(descriptor.number, &headers[0].header, 0)
            return SendResult(sent < 0 ? -1 : 1, number: errno)
        }
        let sent = unsafe discoverable_send_messages(descriptor.number, headers, UInt32(count), 0)
        return SendResult(Int(sent), number: errno)
    }

    /// Sends datagrams of `segment` bytes that stand one behind the other (the last may be shorter), each message cut by the kernel, from
    /// where they are: at most `capacity` messages of `perMessage` datagrams.
    package func sendRun(
        _ bytes: UnsafeRawBufferPointer,
        segment: Int,
        perMessage: Int,
        route: DatagramRoute,
        on descriptor: DatagramDescriptor
    ) -> SendResult {
        var header = unsafe msghdr()
        // All messages go one way, and are cut alike: one name and one set of control messages serve them.
        if let destination = route.destination {
            unsafe header.msg_name = UnsafeMutableRawPointer(names)
            unsafe header.msg_namelen = destination.write(to: names)
        }
        unsafe header.msg_control = controls
        unsafe header.msg_controllen = writeControl(
            route.options,
            segment: segment,
            family: descriptor.family,
            to: controls
        )
        unsafe header.msg_iovlen = 1
        var count = 0
        var offset = 0
        while count < Self.capacity, offset < bytes.count {
            let length = min(segment * perMessage, bytes.count - offset)
            unsafe vectors[count] = iovec(
                iov_base: UnsafeMutableRawPointer(mutating: bytes.baseAddress?.advanced(by: offset)),
                iov_len: length
            )
            unsafe header.msg_iov = vectors + count
            unsafe headers[count].header = header
            offset += length
            count += 1
        }
        let sent = unsafe discoverable_send_messages(descriptor.number, headers, UInt32(count), 0)
        return SendResult(Int(sent), number: errno)
    }

    private func write(_ message: SendMachine.Message, at place: Int, sharesName: Bool, family: AddressFamily) {
        var header = unsafe msghdr()
        unsafe header.msg_iov = vectors + place
        unsafe header.msg_iovlen = 1
        if sharesName {
            unsafe header.msg_name = headers[place - 1].header.msg_name
            unsafe header.msg_namelen = headers[place - 1].header.msg_namelen
        } else if let destination = message.route.destination {
            unsafe header.msg_name = UnsafeMutableRawPointer(names + place)
            unsafe header.msg_namelen = destination.write(to: names + place)
        }
        if message.count > 1 || message.route.options != SendOptions() {
            let control = unsafe controls + place * Int(DISCOVERABLE_CONTROL_SIZE)
            let segment = message.count > 1 ? message.segment : 0
            let size = unsafe writeControl(message.route.options, segment: segment, family: family, to: control)
            if size > 0 {
                unsafe header.msg_control = control
                unsafe header.msg_controllen = size
            }
        }
        unsafe headers[place].header = header
    }
}

/// Writes what leaves beside a message; returns its size.
private func writeControl(
    _ options: SendOptions,
    segment: Int,
    family: AddressFamily,
    to control: UnsafeMutableRawPointer
) -> Int {
    var departure = discoverable_departure()
    departure.segment = UInt16(segment)
    departure.traffic_class = options.trafficClass.map { Int32($0.rawValue) } ?? -1
    departure.family = family.systemValue
    departure.interface = options.interface?.rawValue ?? 0
    if let source = options.source {
        departure.has_source = 1
        unsafe withUnsafeMutableBytes(of: &departure.source) { bytes in
            if let start = bytes.baseAddress { unsafe source.write(to: start) }
        }
    }
    return unsafe discoverable_write_control(control.assumingMemoryBound(to: UInt8.self), &departure)
}

extension DatagramDescriptor {
    /// Sends one datagram by a call of its own, on any thread that keeps the descriptor open.
    package func send(_ bytes: UnsafeRawBufferPointer, route: DatagramRoute) -> SendResult {
        guard route.options == SendOptions() else { return unsafe sendWithOptions(bytes, route) }
        guard let destination = route.destination else {
            let sent = unsafe discoverable_send_bytes(number, bytes.baseAddress, bytes.count, 0, nil, 0)
            return SendResult(sent < 0 ? -1 : 1, number: errno)
        }
        return unsafe destination.withSockAddr {
            let sent = unsafe discoverable_send_bytes(number, bytes.baseAddress, bytes.count, 0, $0, $1)
            return SendResult(sent < 0 ? -1 : 1, number: errno)
        }
    }

    private func sendWithOptions(_ bytes: UnsafeRawBufferPointer, _ route: DatagramRoute) -> SendResult {
        unsafe withUnsafeTemporaryAllocation(byteCount: Int(DISCOVERABLE_CONTROL_SIZE), alignment: 16) { control in
            var vector = unsafe iovec(
                iov_base: UnsafeMutableRawPointer(mutating: bytes.baseAddress),
                iov_len: bytes.count
            )
            return unsafe withUnsafeMutablePointer(to: &vector) { vector in
                var header = unsafe msghdr()
                unsafe header.msg_iov = vector
                unsafe header.msg_iovlen = 1
                if let start = control.baseAddress {
                    let size = unsafe writeControl(route.options, segment: 0, family: family, to: start)
                    unsafe header.msg_control = size > 0 ? start : nil
                    unsafe header.msg_controllen = size
                }
                return unsafe sendHeader(&header, to: route.destination)
            }
        }
    }

    private func sendHeader(_ header: inout msghdr, to destination: SocketAddress?) -> SendResult {
        var name = sockaddr_in6()
        return unsafe withUnsafeMutablePointer(to: &name) { name in
            if let destination {
                unsafe header.msg_name = UnsafeMutableRawPointer(name)
                unsafe header.msg_namelen = destination.write(to: name)
            }
            let sent = unsafe discoverable_send_message(number, &header, 0)
            return SendResult(sent < 0 ? -1 : 1, number: errno)
        }
    }
}
