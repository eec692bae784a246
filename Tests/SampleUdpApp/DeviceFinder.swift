// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import DiscoverableConnection
import Foundation

/// A device that has answered a search.
public struct FoundDevice: Equatable {
    public let location: String
    public let host: String
    public let port: UInt16
}

/// Looks for devices as control points of UPnP do: asks a multicast group, and collects the answers for a while.
public class DeviceFinder: NSObject {
    public var onFinish: (([FoundDevice]) -> Void)?
    public private(set) var lastError: Error?
    public private(set) var questionsSent = 0

    private let group: String
    private let port: UInt16
    private let interface: String?
    private let queue = DispatchQueue(label: "com.example.finder")
    private let parsingQueue = DispatchQueue(label: "com.example.finder.parsing")
    private var socket: GCDAsyncUdpSocket?
    private var devices: [FoundDevice] = []
    private var timer: DispatchSourceTimer?

    public init(group: String = "239.255.255.250", port: UInt16 = 1900, interface: String? = nil) {
        self.group = group
        self.port = port
        self.interface = interface
        super.init()
    }

    public func search(for duration: TimeInterval) throws {
        let socket = GCDAsyncUdpSocket(delegate: self, delegateQueue: queue)
        socket.setIPv6Enabled(false)
        socket.setReceiveFilter(
            { data, _, context -> Bool in
                guard let answer = Answer(data) else { return false }
                context.pointee = answer
                return true
            },
            with: parsingQueue
        )
        try socket.bind(toPort: 0, interface: interface)
        try socket.enableBroadcast(true)
        try socket.beginReceiving()
        self.socket = socket

        for attempt in 1...2 {
            socket.send(question, toHost: group, port: port, withTimeout: 2, tag: attempt)
        }
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now() + duration)
        timer.setEventHandler { [weak self] in self?.finish() }
        timer.resume()
        self.timer = timer
    }

    private var question: Data {
        let lines = [
            "M-SEARCH * HTTP/1.1", "HOST: \(group):\(port)", "MAN: \"ssdp:discover\"", "MX: 1", "ST: ssdp:all", "", "",
        ]
        return lines.joined(separator: "\r\n").data(using: .utf8)!
    }

    private func finish() {
        timer?.cancel()
        timer = nil
        socket?.closeAfterSending()
    }
}

extension DeviceFinder: GCDAsyncUdpSocketDelegate {
    public func udpSocket(_ sock: GCDAsyncUdpSocket, didSendDataWithTag tag: Int) {
        questionsSent += 1
    }

    public func udpSocket(_ sock: GCDAsyncUdpSocket, didNotSendDataWithTag tag: Int, dueToError error: Error) {
        lastError = error
        finish()
    }

    public func udpSocket(
        _ sock: GCDAsyncUdpSocket,
        didReceive data: Data,
        fromAddress address: Data,
        withFilterContext filterContext: Any?
    ) {
        guard let answer = filterContext as? Answer else { return }
        var host: NSString?
        var port: UInt16 = 0
        guard GCDAsyncUdpSocket.getHost(&host, port: &port, fromAddress: address), let host = host else { return }
        let device = FoundDevice(location: answer.location, host: host as String, port: port)
        if !devices.contains(device) { devices.append(device) }
    }

    public func udpSocketDidClose(_ sock: GCDAsyncUdpSocket, withError error: Error) {
        socket = nil
        onFinish?(devices)
    }
}

/// The part of an answer that matters.
private class Answer: NSObject {
    let location: String

    init?(_ data: Data) {
        guard let text = String(data: data, encoding: .utf8), text.hasPrefix("HTTP/1.1 200") else { return nil }
        let field = text.components(separatedBy: "\r\n").first { $0.lowercased().hasPrefix("location:") }
        guard let field = field else { return nil }
        location = field.dropFirst("location:".count).trimmingCharacters(in: .whitespaces)
        super.init()
    }
}
