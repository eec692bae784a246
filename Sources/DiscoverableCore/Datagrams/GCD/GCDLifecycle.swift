/// How far a socket in GCD style has come: what is open, whether it has a port, and whether it has a peer.
package struct GCDLifecycle: Sendable, Hashable {
    private enum Peer: Sendable, Hashable {
        /// Becomes connecting.
        case none
        /// Becomes connected, or none where it fails.
        case connecting
        /// Stays so until the socket is closed.
        case connected(SocketAddress)
    }

    /// The families that have a socket of the system's; empty before the first use and after closing.
    package private(set) var families: Set<AddressFamily> = []
    package private(set) var isBound = false
    private var link: Peer = .none

    package init() {}

    package var isOpen: Bool { !families.isEmpty }

    package var peer: SocketAddress? {
        switch link {
        case .connected(let address): address
        case .none, .connecting: nil
        }
    }

    // MARK: What is allowed

    /// Throws where there is nobody to tell: everything that gives a socket an address or a peer asks for it.
    package static func require(hasDelegate: Bool, hasQueue: Bool) throws(GCDRefusal) {
        guard hasDelegate else { throw .noDelegate }
        guard hasQueue else { throw .noDelegateQueue }
    }

    package func checkBind(_ configuration: GCDConfiguration) throws(GCDRefusal) {
        guard !isBound else { throw .alreadyBound }
        try checkUnconnected()
        guard !configuration.families.isEmpty else { throw .noFamily }
    }

    package func checkConnect(_ configuration: GCDConfiguration) throws(GCDRefusal) {
        try checkUnconnected()
        guard isOpen || !configuration.families.isEmpty else { throw .noFamily }
    }

    package func checkGroup() throws(GCDRefusal) {
        guard isBound else { throw .notBound }
        guard peer == nil else { throw .connectedHasNoGroups }
    }

    package func checkReceive() throws(GCDRefusal) {
        guard isOpen else { throw .notOpen }
    }

    private func checkUnconnected() throws(GCDRefusal) {
        switch link {
        case .none: return
        case .connecting: throw .isConnecting
        case .connected: throw .alreadyConnected
        }
    }

    // MARK: What happens

    package mutating func opened(_ family: AddressFamily) { families.insert(family) }

    package mutating func closed(_ family: AddressFamily) { families.remove(family) }

    package mutating func bound() { isBound = true }

    package mutating func beganConnecting() { link = .connecting }

    package mutating func connected(to address: SocketAddress) {
        link = .connected(address)
        isBound = true
    }

    package mutating func failedToConnect() { link = .none }
}
