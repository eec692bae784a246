internal import CSockets
package import DiscoverableCore
internal import Glibc

extension UnderlyingError {
    /// The error of the system call that has just failed. To be made in the very next statement: whatever runs in between
    /// may change `errno`.
    package static func lastSystemCall(_ call: StaticString) -> UnderlyingError {
        system(errno, call: call)
    }

    /// The error `number` of the system call `call`, with the system's text for it.
    package static func system(_ number: Int32, call: StaticString) -> UnderlyingError {
        system(number, callNamed: "\(call)")
    }

    /// What the system says of an argument that means nothing, for a call of ours that does not get as far.
    package static func invalidArgument(_ call: StaticString) -> UnderlyingError { system(EINVAL, call: call) }

    /// The error `number` of a system call whose name is put together from parts, with the system's text for it.
    static func system(_ number: Int32, callNamed call: String) -> UnderlyingError {
        let text = unsafe discoverable_errno_text(number).map { unsafe String(cString: $0) }
        return UnderlyingError(domain: .errno, number: number, call: call, text: text ?? "unknown error")
    }
}
