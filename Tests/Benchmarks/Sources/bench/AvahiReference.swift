/// The references of the suite `discovery`: one C program of its own, since its memory and its computing are compared.
enum AvahiReference {
    /// What brings all that it needs.
    static let packages = "gcc libc6-dev libavahi-client-dev libdbus-1-dev"

    static func product(in folder: String) -> String { "\(folder)/avahi-reference" }

    /// libdbus keeps a header of its own in a folder that is named after the machine.
    static func buildArguments(sources: String, folder: String) -> [String] {
        let compile = """
            for folder in /usr/lib/*/dbus-1.0/include; do :; done
            exec cc -O2 -Wall -Wextra -Werror -I/usr/include/dbus-1.0 "-I$folder" -o "$2" "$1"/*.c \
            -lavahi-client -lavahi-common -ldbus-1
            """
        return ["sh", "-c", compile, "sh", sources, product(in: folder)]
    }
}
