/// The rules and times of sessions; the defaults are those of the classic protocol.
public struct SessionConfiguration: Sendable, Hashable {
    /// What the protocol's words begin with: `dscv`, or `astv` for the peers of its predecessor. 1 to 32 letters, digits, `-` or `_`.
    public var prefix = "dscv"
    /// What a client calls itself; nil for the host's name. With an empty one the server is told none: the oldest servers of the
    /// predecessor admit nobody who says a name.
    public var deviceName: String?
    /// Whether a message that contains a word of the protocol is refused. Classic peers look for those anywhere in a text: a
    /// classic server that is sent "please dscv_disconnect" shuts down. What as a whole is such a word is refused always.
    public var refusesProtocolWords = true

    /// The time between two discovers to one address.
    public var discoverInterval: Duration = .seconds(2)
    /// How many discovers an address gets. Connecting fails one interval after the last: 10 s after the first.
    public var discoverAttempts = 5
    /// How long the first address of several is alone, and each further one before the next is tried too.
    public var addressStagger: Duration = .milliseconds(250)

    /// How long a message waits for its acknowledgement before it counts as lost.
    public var acknowledgementTimeout: Duration = .seconds(2)
    /// How many messages may wait for acknowledgements at once.
    public var maximumOutstandingMessages = 64
    /// Of how many outcomes the strength is the mean.
    public var strengthWindow = 5
    /// Under which strength, in percent, a session counts as lost once the window is full.
    public var lostBelowStrength = 5

    /// A client that has heard nothing for so long asks whether the server is there; nil for never.
    public var keepAliveInterval: Duration? = .seconds(30)
    /// How many such questions in a row may stay unanswered.
    public var maximumUnansweredProbes = 3
    /// A listener ends a session whose client was silent for so long; nil for never.
    public var idleTimeout: Duration? = .seconds(120)

    /// The time between two disconnects while closing.
    public var disconnectInterval: Duration = .milliseconds(250)
    /// How many disconnects are sent to a peer that does not react. Closing ends one interval after the last.
    public var disconnectAttempts = 3

    /// How many clients a listener serves at once. When all places are taken, the client that has been silent since its
    /// admission for the longest gives way to a new one; where all have spoken, new ones are not answered.
    public var maximumSessions = 1024
    /// How many messages wait unread. Further ones are not acknowledged, so that the sender learns about it.
    public var maximumUnreadMessages = 256

    /// The classic rules.
    public init() {}
}

extension SessionConfiguration {
    /// How long connecting takes before it fails.
    var connectTimeout: Duration { discoverInterval * min(max(1, discoverAttempts), Self.countLimit) }

    /// How long a client that has left may repeat its disconnect.
    var departureTime: Duration { disconnectInterval * (min(max(0, disconnectAttempts), Self.countLimit) + 1) }

    /// How many clients have a session at once; of more than a million, so many.
    package var sessionLimit: Int { min(max(0, maximumSessions), Self.countLimit) }

    /// Whoever says "as many as there are" means no more than this.
    private static let countLimit = 1_000_000

    /// What is wrong with it and what would be right; nil where it can be used.
    package var problem: String? {
        let isWord = prefix.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"): true
            default: false
            }
        }
        guard isWord, (1...32).contains(prefix.utf8.count) else {
            return
                "\"\(prefix)\" cannot begin the protocol's words; a prefix has 1 to 32 letters, digits, \"-\" or \"_\""
        }
        guard maximumSessions > 0 else {
            return "a listener without room for a session serves nobody; maximumSessions is 1 or more"
        }
        return nil
    }

    /// The wire format that these rules speak.
    package var format: any SessionFormat {
        ClassicFormat(prefix: prefix, refusesProtocolWords: refusesProtocolWords)
    }
}
