/// Foreign libraries that do the same work, as Debian has them.
enum Peer: String, CaseIterable, Sendable {
    case libuv
    case goNet = "go"
    case asyncio

    var title: String {
        switch self {
        case .libuv: "libuv"
        case .goNet: "Go's net"
        case .asyncio: "Python's asyncio"
        }
    }

    /// What brings all that the peer needs.
    var package: String {
        switch self {
        case .libuv: "gcc libc6-dev libuv1-dev"
        case .goNet: "golang-go"
        case .asyncio: "python3"
        }
    }

    func product(in folder: String) -> String { "\(folder)/\(rawValue)" }

    /// Fails where something is missing.
    func buildArguments(sources: String, folder: String) -> [String] {
        switch self {
        case .libuv: ["cc", "-O2", "-o", product(in: folder), "\(sources)/libuv.c", "-luv"]
        case .goNet: ["go", "build", "-o", product(in: folder), "\(sources)/gonet.go"]
        case .asyncio: ["python3", "-c", "import asyncio"]
        }
    }

    func runArguments(sources: String, folder: String) -> [String] {
        switch self {
        case .libuv, .goNet: [product(in: folder)]
        case .asyncio: ["python3", "\(sources)/asyncio_echo.py"]
        }
    }
}
