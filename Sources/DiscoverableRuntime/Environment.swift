internal import Glibc

/// The environment of this process.
package enum Environment {
    /// The value of a variable; nil where it is not set or is no UTF-8.
    package static func value(of name: String) -> String? {
        unsafe getenv(name).flatMap { unsafe String(validatingCString: $0) }
    }
}
