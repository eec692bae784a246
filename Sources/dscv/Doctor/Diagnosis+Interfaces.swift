internal import Discoverable

extension Diagnosis {
    /// The interfaces through which other hosts can be found.
    var usableInterfaces: [Facts.Interface] { facts.interfaces.filter { obstacle(of: $0) == nil } }

    var interfaces: Finding {
        let usable = usableInterfaces
        guard usable.isEmpty else {
            return .ok(.interfaces, "multicast goes through \(usable.map(description).joined(separator: ", "))")
        }
        let others = facts.interfaces.filter { !$0.isLoopback }
        let reasons = others.compactMap { interface in obstacle(of: interface).map { "\(interface.name) \($0.text)" } }
        let detail = reasons.isEmpty ? "this host has only the loopback interface" : reasons.joined(separator: ", ")
        let mend = others.lazy.compactMap { obstacle(of: $0)?.mend }.first
        return .wrong(
            .interfaces,
            "no network interface is usable for multicast: \(detail)",
            mend: mend ?? "connect this host to a network (a container: docker run --network NETWORK)"
        )
    }

    /// What keeps an interface from being of use, and what mends that.
    private struct Obstacle {
        let text: String
        let mend: String?
    }

    private func obstacle(of interface: Facts.Interface) -> Obstacle? {
        let name = interface.name
        if interface.isLoopback { return Obstacle(text: "leads back to this host", mend: nil) }
        if !interface.isUp { return Obstacle(text: "is down", mend: "ip link set \(name) up") }
        if !interface.supportsMulticast {
            return Obstacle(text: "does no multicast", mend: "ip link set \(name) multicast on")
        }
        return configuredObstacle(of: interface) ?? addressObstacle(of: interface)
    }

    private func configuredObstacle(of interface: Facts.Interface) -> Obstacle? {
        let (name, file) = (interface.name, facts.configuration)
        let settings = file.effective
        if settings.deniedInterfaces.contains(name) {
            let others = settings.deniedInterfaces.filter { $0 != name }.joined(separator: ",")
            return Obstacle(text: "is in deny-interfaces", mend: file.setting("deny-interfaces", others))
        }
        if let allowed = settings.allowedInterfaces {
            let more = (allowed + [name]).joined(separator: ",")
            if !allowed.contains(name) {
                return Obstacle(text: "is not in allow-interfaces", mend: file.setting("allow-interfaces", more))
            }
        }
        if interface.isPointToPoint, !settings.allowsPointToPoint {
            return Obstacle(text: "is point-to-point, which avahi-daemon leaves out", mend: nil)
        }
        return nil
    }

    private func addressObstacle(of interface: Facts.Interface) -> Obstacle? {
        guard families(of: interface).isEmpty else { return nil }
        let text = interface.families.isEmpty ? "has no address" : "has no address of a family that avahi-daemon uses"
        return Obstacle(text: text, mend: "dhclient \(interface.name)")
    }

    private func families(of interface: Facts.Interface) -> [AddressFamily] {
        let settings = facts.configuration.effective
        return AddressFamily.allCases.filter { family in
            let isUsed = family == .ipv4 ? settings.usesIPv4 : settings.usesIPv6
            return isUsed && interface.families.contains(family)
        }
    }

    private func description(_ interface: Facts.Interface) -> String {
        "\(interface.name) (\(families(of: interface).map(\.description).joined(separator: ", ")))"
    }
}
