/// The app's delegate: an object is not kept alive, anything else is kept as it is.
///
/// `Sendable` is safe because it is only carried: the delegate is used on the delegate queue alone, where the app wants it
/// used, or handed back to the app, which set it.
struct DelegateReference: @unchecked Sendable {  // safe because the text above says so
    private let find: () -> (any DiscoverableDelegate)?

    init(_ delegate: any DiscoverableDelegate) {
        find = Self.finder(of: delegate)
    }

    /// The delegate; nil where the object has gone.
    var delegate: (any DiscoverableDelegate)? { find() }

    private static func finder<Delegate: DiscoverableDelegate>(
        of delegate: Delegate
    ) -> () -> (any DiscoverableDelegate)? {
        guard Delegate.self is AnyObject.Type else { return { delegate } }
        let object = delegate as AnyObject
        // To the class, not to the protocol: a conformance may belong to an actor, and then cannot be looked up everywhere.
        return { [weak object] in object as? Delegate }
    }
}

extension DiscoverableDelegate {
    /// Tells it something, on its queue.
    func tell(_ notice: ConnectionMachine.Notice) {
        switch notice {
        case .state(let state): connectionState(state: state)
        case .strength(let strength): connectionStrength(strength: strength)
        case .received(let text): connectionReceived(message: text)
        case .notSent(let text, let error): connectionFailed(toSend: text, error: error)
        }
    }
}
