internal import CSockets
internal import Glibc

/// An option of a verb, in its long form.
struct Option {
    let name: String
    let takesValue: Bool

    static func flag(_ name: String) -> Option { Option(name: name, takesValue: false) }
    static func value(_ name: String) -> Option { Option(name: name, takesValue: true) }
}

/// What stands behind a verb on the command line.
struct Arguments {
    private var given: [String: [String]] = [:]
    private var flags: Set<String> = []
    /// What is no option, in order.
    private(set) var operands: [String] = []

    /// Parses with libc's `getopt_long`: options may stand anywhere, may be shortened, and take values as `--for 5` or
    /// `--for=5`; what follows `--` is no option.
    init(_ words: [String], options: [Option]) throws(Exit) {
        try parse(words, options: options + [.flag("json"), .flag("verbose")])
    }

    func has(_ flag: String) -> Bool { flags.contains(flag) }
    /// The value that was given last.
    func value(_ option: String) -> String? { given[option]?.last }
    /// All values that were given, in order.
    func values(_ option: String) -> [String] { given[option] ?? [] }

    /// Takes over the flags that are set in another part of the command line.
    mutating func adopt(_ other: Arguments) { flags.formUnion(other.flags) }

    /// The value of an option as a number of seconds.
    func seconds(_ option: String) throws(Exit) -> Duration? {
        guard let text = value(option) else { return nil }
        guard let seconds = Double(text), seconds >= 0, seconds <= 1_000_000 else {
            throw .usage("--\(option) takes a number of seconds, not \"\(text)\"")
        }
        return .seconds(seconds)
    }

    /// The value of an option as a whole number; `description` is what it takes.
    func number(_ option: String, in range: ClosedRange<Int>, _ description: String) throws(Exit) -> Int? {
        guard let text = value(option) else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw .usage("--\(option) takes \(description), not \"\(text)\"")
        }
        return number
    }

    private mutating func parse(_ words: [String], options: [Option]) throws(Exit) {
        let strings = unsafe (["dscv"] + words).map { unsafe strdup($0) }
        defer { unsafe strings.forEach { unsafe free($0) } }
        let names = unsafe options.map { unsafe strdup($0.name) }
        defer { unsafe names.forEach { unsafe free($0) } }
        let table = unsafe options.indices.map { index in
            unsafe option(
                name: names[index],
                has_arg: options[index].takesValue ? required_argument : no_argument,
                flag: nil,
                val: firstOption + Int32(index)
            )
        }
        try unsafe parse(strings + [nil], words: words, options: options, table: table + [option()])
    }

    private mutating func parse(
        _ strings: [UnsafeMutablePointer<CChar>?],
        words: [String],
        options: [Option],
        table: [option]
    ) throws(Exit) {
        var strings = unsafe strings
        let count = Int32(words.count + 1)
        discoverable_getopt_begin()
        while true {
            // A colon first: a missing value is told apart from an unknown option.
            let found = unsafe getopt_long(count, &strings, ":", table, nil)
            if found == -1 { break }
            let word =
                unsafe strings[Int(max(1, discoverable_getopt_next() - 1))].map { unsafe String(cString: $0) } ?? ""
            if found == missingValue { throw .usage("\(word) needs a value") }
            guard found >= firstOption else { throw .usage("there is no option \(word); see dscv --help") }
            let option = options[Int(found - firstOption)]
            flags.insert(option.name)
            if let value = unsafe discoverable_getopt_value().map({ unsafe String(cString: $0) }) {
                given[option.name, default: []].append(value)
            }
        }
        unsafe operands = strings[Int(discoverable_getopt_next())..<Int(count)].compactMap { string in
            unsafe string.map { unsafe String(cString: $0) }
        }
    }
}

/// Above every character, so that no option is taken for what `getopt_long` returns on an error.
private let firstOption: Int32 = 1_000
private let missingValue = Int32(UInt8(ascii: ":"))
