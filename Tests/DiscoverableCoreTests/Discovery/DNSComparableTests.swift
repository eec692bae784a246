import DiscoverableCore
import TestSupport
import Testing

@Suite("Names as DNS compares them")
struct DNSComparableTests {
    @Test(
        "Only the case of ASCII letters is passed over",
        arguments: [
            ("Office", "oFFICE", true), ("AZ@[`{", "az@[`{", true), ("é", "É", false), ("\u{e9}", "e\u{301}", false),
            ("ﬀ", "ff", false), ("K", "\u{212a}", false), ("@", "`", false), ("[", "{", false), ("a", "a ", false),
        ]
    )
    func equality(left: String, right: String, areEqual: Bool) throws {
        let (left, right) = (try ServiceName(left), try ServiceName(right))
        #expect((left == right) == areEqual)
        #expect(!areEqual || left.hashValue == right.hashValue, "what is equal hashes alike")
        #expect((left < right || right < left) == !areEqual, "what is different has an order")
    }

    @Test("A set takes spellings of one name once and keeps the first")
    func set() throws {
        let names = Set([try ServiceName("Office")]).union([try ServiceName("OFFICE"), try ServiceName("Offic\u{e9}")])
        #expect(names.count == 2)
        #expect(names.contains(try ServiceName("office")))
        #expect(try Set([ServiceType("_http._tcp"), ServiceType("_HTTP._Tcp")]).count == 1)
        #expect(try Set([Domain("local"), Domain("Local.")]).count == 1)
    }

    @Test("The order is a strict one and agrees with equality", arguments: 1...5 as ClosedRange<UInt64>)
    func order(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let pieces = ["a", "A", "b", "B", "[", "`", "é", "z"]
        let names = try (0..<24).map { _ in
            try ServiceName(
                (0...Int.random(in: 0...2, using: &generator)).map { _ in pieces.randomElement(using: &generator) ?? "a"
                }.joined()
            )
        }
        for first in names {
            for second in names {
                #expect([first < second, first == second, second < first].count { $0 } == 1)
                for third in names where first < second && second < third { #expect(first < third) }
            }
        }
    }

    @Test("A service is compared by name, then type, then domain, each as DNS does")
    func instances() throws {
        let type = try ServiceType("_http._tcp")
        let office = ServiceInstance(name: try ServiceName("Office"), type: type)
        let shouted = ServiceInstance(
            name: try ServiceName("OFFICE"),
            type: try ServiceType("_HTTP._TCP"),
            domain: try Domain("Local")
        )
        #expect(office == shouted)
        #expect(office.hashValue == shouted.hashValue)

        let later = [
            ServiceInstance(name: try ServiceName("office 2"), type: type),
            ServiceInstance(name: try ServiceName("Office"), type: try ServiceType("_ipp._tcp")),
            ServiceInstance(name: try ServiceName("Office"), type: type, domain: try Domain("z.example")),
        ]
        #expect(later.allSatisfy { office < $0 && !($0 < office) && $0 != office })
    }

    @Test("A service is described for people, with its domain where that is worth a word")
    func description() throws {
        #expect(try service("Büro").description == "\"Büro\" (_http._tcp)")
        let elsewhere = ServiceInstance(
            name: try ServiceName("Office"),
            type: try ServiceType("_ipp._tcp"),
            domain: try Domain("example.org")
        )
        #expect(elsewhere.description == "\"Office\" (_ipp._tcp in example.org)")
    }

    @Test("Types are told apart by domain, paths by interface and family")
    func typesAndPaths() throws {
        let type = try ServiceType("_http._tcp")
        let local = BrowsedServiceType.Identity(type: type, domain: .local)
        let elsewhere = BrowsedServiceType.Identity(type: type, domain: try Domain("z.example"))
        #expect(local != elsewhere && local < elsewhere)
        #expect(
            [ServicePath.ipv6(2), .ipv4(2), .ipv6(1), .ipv4(1)].sorted() == [.ipv4(1), .ipv6(1), .ipv4(2), .ipv6(2)]
        )
    }
}
