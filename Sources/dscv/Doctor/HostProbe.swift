internal import Discoverable
internal import Foundation
internal import Glibc

/// What the host's files tell, without asking the daemon.
struct HostProbe {
    /// The configuration file that the user named; nil for the one that the daemon uses.
    let namedConfiguration: String?

    private static let usualConfiguration = "/etc/avahi/avahi-daemon.conf"

    /// The daemon's process, where it runs.
    var daemonProcess: Int32? {
        guard let text = read("/run/avahi-daemon/pid"), let process = Int32(text.trimmed),
            read("/proc/\(process)/comm")?.trimmed == "avahi-daemon"
        else { return nil }
        return process
    }

    var isInstalled: Bool {
        ["/usr/sbin/avahi-daemon", "/usr/local/sbin/avahi-daemon"].contains {
            FileManager.default.fileExists(atPath: $0)
        }
    }

    var configuration: Facts.ConfigurationFile {
        let named = namedConfiguration ?? daemonProcess.flatMap { configurationPath(ofCommandLine: words(of: $0)) }
        let path = named ?? Self.usualConfiguration
        guard FileManager.default.fileExists(atPath: path) else { return .init(path: path, content: .missing) }
        do {
            let bytes = try Data(contentsOf: URL(filePath: path))
            return .init(path: path, content: .read(DaemonConfiguration(String(decoding: bytes, as: UTF8.self))))
        } catch {
            return .init(path: path, content: .unreadable(error.localizedDescription))
        }
    }

    /// The interfaces; none where the system does not tell.
    var interfaces: [Facts.Interface] { ((try? NetworkInterface.all()) ?? []).map(Facts.Interface.init) }

    /// Up to the first dot.
    var systemHostName: String {
        (read("/proc/sys/kernel/hostname") ?? "").split(separator: ".").first.map { $0.trimmed } ?? ""
    }

    var nameService: Facts.NameService {
        let sources = read("/etc/nsswitch.conf").flatMap(hostSources)
        let source = sources?.first { $0.hasPrefix("mdns") }
        return Facts.NameService(sources: sources, hasLibrary: source.map(hasLibrary) ?? false)
    }

    /// Those who have UDP port 5353 open, besides the daemon and whoever cannot be told from it.
    var otherResponders: [Facts.Responder] {
        let sockets = ["/proc/net/udp", "/proc/net/udp6"].flatMap { read($0).map { UDPTable($0).sockets } ?? [] }
        let open = sockets.filter { $0.port == 5353 }
        guard !open.isEmpty else { return [] }
        let holders = socketHolders(of: Set(open.map(\.inode)))
        let (daemon, daemonUser) = (daemonProcess, daemonProcess.flatMap(user))
        var others: Set<Facts.Responder> = []
        for socket in open {
            let holder = holders[socket.inode]
            if holder.map({ $0 == daemon }) ?? (socket.user == daemonUser) { continue }
            others.insert(
                Facts.Responder(
                    process: holder.flatMap { read("/proc/\($0)/comm")?.trimmed },
                    user: userName(socket.user)
                )
            )
        }
        return others.sorted { ($0.process ?? "", $0.user) < ($1.process ?? "", $1.user) }
    }
}

extension HostProbe {
    private func read(_ path: String) -> String? {
        (try? Data(contentsOf: URL(filePath: path))).map { String(decoding: $0, as: UTF8.self) }
    }

    private func words(of process: Int32) -> [String] {
        (read("/proc/\(process)/cmdline") ?? "").split(separator: "\0").map(String.init)
    }

    /// As libc itself does it.
    private func hasLibrary(_ source: String) -> Bool {
        guard let library = unsafe dlopen("libnss_\(source).so.2", RTLD_LAZY | RTLD_LOCAL) else { return false }
        unsafe dlclose(library)
        return true
    }

    private func user(of process: Int32) -> UInt32? {
        var status = stat()
        return unsafe stat("/proc/\(process)", &status) == 0 ? status.st_uid : nil
    }

    private func userName(_ user: UInt32) -> String {
        guard let entry = unsafe getpwuid(user), let name = unsafe entry.pointee.pw_name else { return String(user) }
        return unsafe String(cString: name)
    }

    /// The processes that have sockets open, by the sockets' inodes; those that this user may look into.
    private func socketHolders(of inodes: Set<UInt64>) -> [UInt64: Int32] {
        let files = FileManager.default
        var holders: [UInt64: Int32] = [:]
        for process in ((try? files.contentsOfDirectory(atPath: "/proc")) ?? []).compactMap({ Int32($0) }) {
            let folder = "/proc/\(process)/fd"
            for descriptor in (try? files.contentsOfDirectory(atPath: folder)) ?? [] {
                guard let target = try? files.destinationOfSymbolicLink(atPath: "\(folder)/\(descriptor)"),
                    target.hasPrefix("socket:["), let inode = UInt64(target.dropFirst(8).dropLast()),
                    inodes.contains(inode)
                else { continue }
                holders[inode] = process
            }
        }
        return holders
    }
}

extension Facts.Interface {
    fileprivate init(_ interface: NetworkInterface) {
        self.init(
            name: interface.name,
            isUp: interface.isUp,
            isLoopback: interface.isLoopback,
            supportsMulticast: interface.supportsMulticast,
            isPointToPoint: interface.isPointToPoint,
            families: AddressFamily.allCases.filter { family in interface.addresses.contains { $0.ip.family == family }
            }
        )
    }
}
