internal import Glibc

/// Our side of the suite `discovery`: an executable of this package beside this one. `swift run bench` builds only itself.
enum DiscoveryProgram {
    private static let name = "discovery-worker"

    /// Beside this executable.
    static var product: String {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let length = unsafe readlink("/proc/self/exe", &buffer, buffer.count)
        let path = String(decoding: buffer.prefix(max(0, length)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/") + "/"
            + name
    }

    static func buildArguments(package: String) -> [String] {
        #if DEBUG
            let configuration = "debug"
        #else
            let configuration = "release"
        #endif
        return ["swift", "build", "-c", configuration, "--package-path", package, "--product", name]
    }
}
