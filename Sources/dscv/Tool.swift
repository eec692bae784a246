internal import Glibc

/// `dscv`: discovery and sessions from the command line.
@main
struct Tool {
    static func main() async {
        let interruption = Interruption()
        exit(await interruption.run { await run(Array(CommandLine.arguments.dropFirst())) })
    }

    private static func run(_ words: [String]) async -> Int32 {
        do throws(Exit) {
            guard let word = words.first else { throw Exit.usage("name a verb; see dscv --help") }
            if ["--help", "-h", "help"].contains(word) {
                print(usage)
                return 0
            }
            guard let verb = verbs[word] else { throw Exit.usage("there is no verb \"\(word)\"; see dscv --help") }
            try await verb(Array(words.dropFirst()))
            return 0
        } catch {
            Output(asJSON: false).note(error.message)
            return error.status
        }
    }

    private typealias Verb = @Sendable ([String]) async throws(Exit) -> Void

    private static let verbs: [String: Verb] = [
        "browse": { words throws(Exit) in try await BrowseVerb(words).run() },
        "types": { words throws(Exit) in try await TypesVerb(words).run() },
        "domains": { words throws(Exit) in try await DomainsVerb(words).run() },
        "resolve": { words throws(Exit) in try await ResolveVerb(words).run() },
        "lookup": { words throws(Exit) in try await LookupVerb(words).run() },
        "records": { words throws(Exit) in try await RecordsVerb(words).run() },
        "verify": { words throws(Exit) in try await VerifyVerb(words).run() },
        "publish": { words throws(Exit) in try await PublishVerb(words).run() },
        "serve": { words throws(Exit) in try await ServeVerb(words).run() },
        "connect": { words throws(Exit) in try await ConnectVerb(words).run() },
        "ping": { words throws(Exit) in try await PingVerb(words).run() },
        "doctor": { words throws(Exit) in try await DoctorVerb(words).run() },
        "demo": { words throws(Exit) in try await DemoVerb(words).run() },
    ]

    private static let usage = """
        dscv finds services on the local network and talks to them.

          dscv browse [TYPE [--subtype S]] [--resolve] [--domain D] [--interface I] [--family ipv4|ipv6]
                      [--for SECONDS | --until-settled]
              services as they come and go; without TYPE those of all types
          dscv types [--domain D] [--interface I] [--family ipv4|ipv6] [--for SECONDS | --until-settled]
              the types of which there are services
          dscv domains [--kind browse|default-browse|register|default-register|legacy] [--domain D] [--interface I]
                       [--family ipv4|ipv6] [--for SECONDS | --until-settled]
              the domains that are recommended for browsing or publishing; on most networks there are none
          dscv resolve NAME TYPE [--domain D] [--timeout SECONDS]
              where a service listens: host, port, addresses, TXT record
          dscv lookup HOST-OR-ADDRESS [--interface I] [--family ipv4|ipv6] [--timeout SECONDS]
              all addresses of a host, or the name of the host that has an address
          dscv records NAME [RRTYPE] [--interface I] [--family ipv4|ipv6] [--timeout SECONDS | --follow]
              what the network says of a full name, such as beta.local; without RRTYPE the usual types
          dscv verify NAME TYPE [--domain D] [--timeout SECONDS]
              whether a service is truly there: asks its host, not the daemon's cache
          dscv publish NAME TYPE PORT [KEY[=VALUE]...] [--subtype S]... [--domain D] [--interface I] [--family ipv4|ipv6]
                       [--host NAME=ADDRESS]... [--alias NAME]... [--no-rename] [-- NAME TYPE PORT ...]
              publishes services, further hosts' addresses and other names of this host, all as one, until it is interrupted
          dscv serve [NAME] [--port P] [--type T] [--echo]
              a dscv server: prints what its clients say; lines typed here go to all of them
          dscv connect [NAME | HOST:PORT] [--type T] [--name DEVICE]
              a session with a server; lines typed here are sent, and their end closes it, which ends a classic server too
          dscv ping [NAME | HOST:PORT] [--count N] [--interval SECONDS] [--timeout SECONDS] [--size BYTES] [--type T]
                    [--name DEVICE] [--end-peer]
              messages to a server, one each second or interval, until it is interrupted: which are acknowledged within the
              time-out (2 s), and how fast; the server is not told of the end, unless by --end-peer, which ends a classic one
          dscv doctor [--config FILE]
              what keeps services of this host and others from being found, and the command that mends it; --config names the
              daemon's configuration where it is not the usual one; ends with 0 where nothing is wrong, whatever is warned of
          dscv demo
              all of it between two hosts: Tests/testbed swift run dscv demo

          --json on each: one JSON object a line. --verbose: what the library does with the daemon, on stderr.
          Exit status: 0 done, 1 failed, 64 usage, 69 daemon unavailable, 130 interrupted.
        """
}
