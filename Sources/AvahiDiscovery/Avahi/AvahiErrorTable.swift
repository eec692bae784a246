internal import CAvahi
internal import DiscoverableCore

/// What an error number of Avahi means for a caller: the code, and one sentence that says what is wrong and what to do.
struct AvahiMeaning {
    let code: DiscoveryError.Code
    let explanation: String

    fileprivate init(_ code: DiscoveryError.Code, _ explanation: String) {
        self.code = code
        self.explanation = explanation
    }

    /// Of a number; one that Avahi 0.8 does not have says so.
    init(number: Int) {
        let meaning = Self.table.first { $0.number == number }?.meaning
        self =
            meaning
            ?? AvahiMeaning(
                .daemonError,
                "avahi-daemon gave an error number that is newer than this library; see its log: journalctl -u avahi-daemon"
            )
    }

    /// Every number of `avahi-common/error.h`.
    private static let table = resources + daemon + permissions + names + arguments + records + answers
}

private typealias Row = (number: Int, meaning: AvahiMeaning)

private func row(_ number: Int, _ code: DiscoveryError.Code, _ explanation: String) -> Row {
    (number, AvahiMeaning(code, explanation))
}

// MARK: - What is used up

private let resources: [Row] = [
    row(
        AVAHI_ERR_TOO_MANY_OBJECTS,
        .tooManyObjects,
        "avahi-daemon allows this process no more objects; end some browses or publications, or raise "
            + "objects-per-client-max in /etc/avahi/avahi-daemon.conf, section [server]"
    ),
    row(
        AVAHI_ERR_TOO_MANY_CLIENTS,
        .tooManyObjects,
        "avahi-daemon allows no more clients; end programs that use it, or raise clients-max in avahi-daemon.conf"
    ),
    row(
        AVAHI_ERR_TOO_MANY_ENTRIES,
        .tooManyObjects,
        "avahi-daemon allows no more entries in a group; publish in several groups, or raise "
            + "entries-per-entry-group-max in avahi-daemon.conf"
    ),
    row(AVAHI_ERR_NO_MEMORY, .outOfResources, "memory is used up; free some, or end other programs"),
]

// MARK: - The daemon itself

private let daemon: [Row] = [
    row(
        AVAHI_ERR_NO_DAEMON,
        .daemonUnavailable,
        "avahi-daemon is not running; start it with: systemctl start avahi-daemon"
    ),
    row(
        AVAHI_ERR_DISCONNECTED,
        .daemonUnavailable,
        "avahi-daemon is not running any more; start it with: systemctl start avahi-daemon"
    ),
    row(
        AVAHI_ERR_DBUS_ERROR,
        .daemonNotResponding,
        "avahi-daemon did not answer; see whether it hangs: systemctl status avahi-daemon"
    ),
    row(
        AVAHI_ERR_TIMEOUT,
        .notFound,
        "nobody on the network answered avahi-daemon in time; see whether it is there, then try again"
    ),
    row(
        AVAHI_ERR_NO_NETWORK,
        .daemonError,
        "avahi-daemon has no usable network interface; bring one up that does multicast, see: ip link"
    ),
    row(
        AVAHI_ERR_BAD_STATE,
        .daemonError,
        "avahi-daemon was not ready for it; try again when the daemon runs, see: systemctl status avahi-daemon"
    ),
    row(
        AVAHI_ERR_INVALID_OBJECT,
        .daemonError,
        "avahi-daemon does not know the object any more, as after a restart; try again"
    ),
    row(AVAHI_ERR_FAILURE, .daemonError, "avahi-daemon refused; its log says why: journalctl -u avahi-daemon"),
    row(
        AVAHI_ERR_OS,
        .daemonError,
        "the system refused avahi-daemon something; its log says what: journalctl -u avahi-daemon"
    ),
    row(
        AVAHI_ERR_VERSION_MISMATCH,
        .notSupported,
        "avahi-daemon speaks another version than its client library; install both from one release, then restart it"
    ),
    row(
        AVAHI_ERR_NOT_SUPPORTED,
        .notSupported,
        "this avahi-daemon cannot do it; use a newer one, or do without"
    ),
    row(
        AVAHI_ERR_INVALID_OPERATION,
        .notSupported,
        "avahi-daemon does not know the operation; use a newer avahi-daemon, or do without"
    ),
]

// MARK: - What is forbidden

private let permissions: [Row] = [
    row(
        AVAHI_ERR_NOT_PERMITTED,
        .notPermitted,
        "avahi-daemon is configured not to do this; look for disable-publishing and "
            + "disable-user-service-publishing in avahi-daemon.conf"
    ),
    row(
        AVAHI_ERR_ACCESS_DENIED,
        .notPermitted,
        "the system's D-Bus policy forbids it to this user; run as root or as a member of the group netdev, or change "
            + "avahi-dbus.conf"
    ),
    row(
        AVAHI_ERR_INVALID_CONFIG,
        .notPermitted,
        "avahi-daemon's configuration is not valid; correct avahi-daemon.conf and restart it"
    ),
]

// MARK: - Names

private let names: [Row] = [
    row(AVAHI_ERR_COLLISION, .nameCollision, "the name is taken on this network; choose another one"),
    row(
        AVAHI_ERR_INVALID_SERVICE_NAME,
        .invalidName,
        "avahi-daemon takes this for no instance name; give it 1 to 63 bytes of UTF-8"
    ),
    row(
        AVAHI_ERR_INVALID_SERVICE_TYPE,
        .invalidName,
        "avahi-daemon takes this for no service type; write it like _http._tcp"
    ),
    row(
        AVAHI_ERR_INVALID_SERVICE_SUBTYPE,
        .invalidName,
        "avahi-daemon takes this for no subtype of the service's type; write it like _printer._sub._http._tcp"
    ),
    row(
        AVAHI_ERR_INVALID_DOMAIN_NAME,
        .invalidName,
        "avahi-daemon takes this for no domain name; write labels of 1 to 63 bytes separated by dots, such as local"
    ),
    row(
        AVAHI_ERR_INVALID_HOST_NAME,
        .invalidName,
        "avahi-daemon takes this for no host name; use letters, digits and hyphens, and a domain where a full name is meant"
    ),
]

// MARK: - Arguments

private let arguments: [Row] = [
    row(
        AVAHI_ERR_INVALID_INTERFACE,
        .invalidArgument,
        "there is no such interface, or avahi-daemon does not use it; see `ip link` and allow-interfaces in "
            + "avahi-daemon.conf"
    ),
    row(
        AVAHI_ERR_INVALID_PROTOCOL,
        .invalidArgument,
        "avahi-daemon does not use this family of addresses; see use-ipv4 and use-ipv6 in avahi-daemon.conf"
    ),
    row(AVAHI_ERR_INVALID_PORT, .invalidArgument, "avahi-daemon refuses the port; give one from 0 to 65535"),
    row(
        AVAHI_ERR_INVALID_ADDRESS,
        .invalidArgument,
        "avahi-daemon refuses the address; give an IPv4 or IPv6 address of one host"
    ),
    row(
        AVAHI_ERR_INVALID_FLAGS,
        .invalidArgument,
        "avahi-daemon refuses this combination of options; leave out what is not needed"
    ),
    row(AVAHI_ERR_INVALID_ARGUMENT, .invalidArgument, "avahi-daemon refuses an argument; correct it"),
    row(
        AVAHI_ERR_IS_EMPTY,
        .invalidArgument,
        "there is nothing in the group to publish; add a service, a host, an alias or a record"
    ),
    row(
        AVAHI_ERR_NO_CHANGE,
        .invalidArgument,
        "it is so already, and avahi-daemon refuses to do it again; leave out the call"
    ),
    row(
        AVAHI_ERR_NOT_FOUND,
        .notFound,
        "avahi-daemon has nothing of that name; see whether it is still there, then try again"
    ),
]

// MARK: - Records

private let records: [Row] = [
    row(
        AVAHI_ERR_INVALID_RECORD,
        .invalidRecord,
        "avahi-daemon takes this for no valid record; keep each TXT string within 255 bytes and correct the rest"
    ),
    row(
        AVAHI_ERR_INVALID_RDATA,
        .invalidRecord,
        "avahi-daemon refuses the record's data; encode it as its type wants"
    ),
    row(AVAHI_ERR_INVALID_TTL, .invalidArgument, "avahi-daemon refuses the time to live; give 1 to 2147483647 seconds"),
    row(
        AVAHI_ERR_INVALID_KEY,
        .invalidArgument,
        "avahi-daemon refuses the record's name, class or type; use a full name, class IN and one type"
    ),
    row(
        AVAHI_ERR_IS_PATTERN,
        .invalidArgument,
        "a record is published under one type, and ANY is a pattern for questions; name the type"
    ),
    row(AVAHI_ERR_INVALID_DNS_CLASS, .invalidArgument, "avahi-daemon refuses the class; use IN, which is 1"),
    row(
        AVAHI_ERR_INVALID_DNS_TYPE,
        .invalidArgument,
        "avahi-daemon refuses the record type; use a type of data, not of questions"
    ),
]

// MARK: - What a DNS server said

private let answers: [Row] = [
    row(
        AVAHI_ERR_INVALID_PACKET,
        .daemonError,
        "avahi-daemon got a packet that is no DNS; try again, and look for the sender in its log: journalctl -u avahi-daemon"
    ),
    row(
        AVAHI_ERR_INVALID_DNS_ERROR,
        .daemonError,
        "a DNS server answered with an unknown code; try again, or see to the server"
    ),
    row(AVAHI_ERR_DNS_FORMERR, .daemonError, "a DNS server did not understand the question; see to the server"),
    row(AVAHI_ERR_DNS_SERVFAIL, .daemonError, "a DNS server failed; try again, or see to the server"),
    row(AVAHI_ERR_DNS_NXDOMAIN, .notFound, "there is no such name; see how it is spelt, or try again when it is there"),
    row(AVAHI_ERR_DNS_NOTIMP, .notSupported, "a DNS server cannot do it; use another server, or the domain local"),
    row(AVAHI_ERR_DNS_REFUSED, .notPermitted, "a DNS server refused; permit it there, or use the domain local"),
    row(AVAHI_ERR_DNS_YXDOMAIN, .nameCollision, "a DNS server has the name already; choose another one"),
    row(AVAHI_ERR_DNS_YXRRSET, .nameCollision, "a DNS server has such records already; choose another name"),
    row(AVAHI_ERR_DNS_NXRRSET, .notFound, "a DNS server has no such records; see to the server, or try again"),
    row(
        AVAHI_ERR_DNS_NOTAUTH,
        .notPermitted,
        "a DNS server does not answer for the domain; use another domain, such as local"
    ),
    row(AVAHI_ERR_DNS_NOTZONE, .invalidArgument, "the name is not in the DNS server's zone; correct the domain"),
]
