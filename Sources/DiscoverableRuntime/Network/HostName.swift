internal import CSockets
internal import Glibc

/// What this host calls itself.
public enum HostName {
    /// The kernel's host name (`gethostname`); `localhost` where it has none.
    public static var current: String {
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            // POSIX leaves open whether a name that was cut ends with a zero.
            guard let start = buffer.baseAddress, unsafe gethostname(start, 255) == 0 else { return "localhost" }
            unsafe buffer[255] = 0
            let name = unsafe String(cString: start)
            return name.isEmpty ? "localhost" : name
        }
    }
}
