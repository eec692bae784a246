internal import DiscoverableCore
internal import DiscoverableRuntime
internal import Foundation

/// Why something did not work: by our own rules, or by the system's.
enum GCDFailure: Error, Sendable {
    case refused(GCDRefusal)
    case system(UnderlyingError)

    /// As the app gets it: with the header's number, with the system's, or with that of name resolution.
    ///
    /// - Parameter operation: what was being done.
    func appError(_ operation: String) -> any Error {
        switch self {
        case .refused(let refusal): return GCDAsyncUdpSocketError(refusal)
        case .system(let error):
            let text = SocketError(error, operation).description
            let info: [String: any Sendable] = [NSLocalizedDescriptionKey: text]
            // Not a POSIXError: Foundation's does not keep a text on Linux.
            let isLookUp = error.domain == .nameResolution
            let domain = isLookUp ? "kCFStreamErrorDomainNetDB" : NSPOSIXErrorDomain
            return NSError(domain: domain, code: Int(error.number), userInfo: info)
        }
    }
}

extension GCDAsyncUdpSocketError {
    init(_ refusal: GCDRefusal) {
        let code: Code =
            switch refusal.code {
            case .badConfig: .badConfig
            case .badParam: .badParam
            case .sendTimeout: .sendTimeout
            case .other: .other
            }
        self.init(code, refusal.explanation)
    }
}
