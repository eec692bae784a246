internal import CReferences

/// The references as workers, by the name that a probe calls them.
enum ReferenceWorker: String {
    case echoServer = "c-echo-server"
    case echoClient = "c-echo-client"
    case offloadServer = "c-offload-server"
    case offloadClient = "c-offload-client"
    case pingPongServer = "c-pingpong-server"
    case pingPongClient = "c-pingpong-client"
    case pingPongThreads = "c-pingpong-threads"
    case bulkReceiver = "c-bulk-receiver"
    case bulkSender = "c-bulk-sender"
    case wakeUpReceiver = "c-wakeup-receiver"
    case wakeUpSender = "c-wakeup-sender"
    case openClose = "c-open-close"

    /// Returns when the result is said; a worker that only serves never does.
    func run(_ numbers: [Int]) throws {
        let load = Load(numbers).map(reference_load.init)
        let first = numbers.first.map { UInt32(clamping: $0) }
        let port = numbers.last.map { UInt16(clamping: $0) }
        switch self {
        case .echoServer: reference_echo_server()
        case .echoClient: reference_echo_client(try required(load), try required(port))
        case .offloadServer: reference_offload_server()
        case .offloadClient: reference_offload_client(try required(load), try required(port))
        case .pingPongServer: reference_pingpong_server()
        case .pingPongClient: reference_pingpong_client(try required(load), try required(port))
        case .pingPongThreads: reference_pingpong_threads(try required(load))
        case .bulkReceiver: reference_bulk_receiver(try required(load))
        case .bulkSender: reference_bulk_sender(try required(first), try required(port))
        case .wakeUpReceiver: reference_wakeup_receiver(try required(first))
        case .wakeUpSender: reference_wakeup_sender(try required(port))
        case .openClose: reference_open_close(try required(first))
        }
    }
}

extension reference_load {
    fileprivate init(_ load: Load) {
        self.init(
            size: UInt32(clamping: load.size),
            window: UInt32(clamping: load.window),
            warm_up_milliseconds: UInt32(clamping: load.warmUpMilliseconds),
            measured_milliseconds: UInt32(clamping: load.measuredMilliseconds)
        )
    }
}
