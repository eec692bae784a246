import Testing

@testable import dscv

@Suite("dscv doctor reads the host's files")
struct HostFilesTests {
    @Test("Sockets are read from the kernel's table, whatever else stands there")
    func sockets() {
        let table = UDPTable(
            """
               sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode ref pointer drops
              123: 00000000:14E9 00000000:0000 07 00000000:00000000 00:00000000 00000000   108        0 21301 2 0000000000000000 0
              124: 00000000000000000000000000000000:0044 00000000000000000000000000000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 7 2 0 0
            nonsense
            """
        )
        #expect(
            table.sockets == [.init(port: 5353, user: 108, inode: 21301), .init(port: 68, user: 0, inode: 7)]
        )
    }

    @Test("The sources of host names are the words of their line, without what to do after each")
    func sources() {
        let text = "passwd: files\n# hosts: no\nhosts:\tfiles mdns4_minimal [NOTFOUND=return] dns # mdns\n"
        #expect(hostSources(ofSwitch: text) == ["files", "mdns4_minimal", "dns"])
        #expect(hostSources(ofSwitch: "passwd: files\n") == nil)
    }

    @Test(
        "The configuration file is taken from each form of the option",
        arguments: [
            ["avahi-daemon", "-f", "/a b.conf"], ["avahi-daemon", "-D", "--file", "/a b.conf"],
            ["avahi-daemon", "--file=/a b.conf"], ["avahi-daemon", "-f/a b.conf", "-D"],
        ]
    )
    func configurationFile(words: [String]) {
        #expect(configurationPath(ofCommandLine: words) == "/a b.conf")
    }

    @Test("A daemon that shows its state in place of its command line uses the usual file")
    func usualFile() {
        #expect(configurationPath(ofCommandLine: ["avahi-daemon: running [alpha.local]"]) == nil)
        #expect(configurationPath(ofCommandLine: ["avahi-daemon", "-f"]) == nil)
    }

    @Test("A configuration is read as the daemon reads it")
    func configuration() {
        let settings = DaemonConfiguration(
            "use-ipv4=no\n[server]\nhost-name = kitchen \nallow-interfaces= eth0, wlan0\ndeny-interfaces=\n"
                + "objects-per-client-max=64\ncache-entries-max=many\nenable-dbus=warn\n[wide-area]\nenable-wide-area=no"
        )
        #expect(settings.usesIPv4 && settings.usesIPv6)
        #expect(settings.hostName == "kitchen")
        #expect(settings.allowedInterfaces == ["eth0", "wlan0"] && settings.deniedInterfaces == [])
        #expect(settings.maximumObjectsPerClient == 64 && settings.maximumCacheEntries == 4096)
        #expect(settings.enablesDBus && !settings.enablesWideArea)
        #expect(DaemonConfiguration("").allowedInterfaces == nil && DaemonConfiguration("").enablesWideArea)
    }
}
