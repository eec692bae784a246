internal import CAvahi
internal import DiscoverableCore

/// The host that the daemon runs on. The first question after a change of its state blocks, the others are answered by the
/// client.
extension AvahiClient {
    /// The host's names.
    func hostIdentity() throws(AvahiFailure) -> HostIdentity {
        let name = try unsafe text(avahi_client_get_host_name(pointer), "avahi_client_get_host_name")
        let domain = try unsafe text(avahi_client_get_domain_name(pointer), "avahi_client_get_domain_name")
        let full = try unsafe text(avahi_client_get_host_name_fqdn(pointer), "avahi_client_get_host_name_fqdn")
        do throws(DiscoveryError) {
            return HostIdentity(name: name, domain: try Domain(domain), fullName: try DNSName(full))
        } catch {
            throw AvahiFailure(number: Int32(AVAHI_ERR_INVALID_HOST_NAME), call: "reading the host's name \"\(full)\"")
        }
    }

    /// Gives the host another name, until the daemon ends.
    /// - Throws: `AVAHI_ERR_NO_CHANGE` where it has that name; `AVAHI_ERR_ACCESS_DENIED`; `AVAHI_ERR_INVALID_HOST_NAME`.
    func setHostName(_ name: String) throws(AvahiFailure) {
        let number = unsafe avahi_client_set_host_name(pointer, name)
        if number < 0 { throw AvahiFailure(number: number, call: "avahi_client_set_host_name") }
    }

    private func text(_ text: UnsafePointer<CChar>?, _ call: String) throws(AvahiFailure) -> String {
        guard let text = unsafe text else {
            throw AvahiFailure(number: unsafe avahi_client_errno(pointer), call: call)
        }
        return unsafe String(cString: text)
    }
}
