import DiscoverableCore
import Testing

@Suite("Traffic classes and receive metadata")
struct TrafficClassTests {
    @Test(
        "Every byte is a code point and a notification, and is put together from them",
        arguments: 0...255 as ClosedRange<UInt8>
    )
    func parts(byte: UInt8) {
        let trafficClass = TrafficClass(rawValue: byte)
        #expect(trafficClass.dscp == byte / 4 && trafficClass.ecn.rawValue == byte % 4)
        #expect(TrafficClass(dscp: trafficClass.dscp, ecn: trafficClass.ecn) == trafficClass)
    }

    @Test("The bits of RFC 3168 section 5")
    func notifications() {
        #expect(ExplicitCongestionNotification.allCases.map(\.rawValue) == [0, 1, 2, 3])
        #expect(TrafficClass(rawValue: 1).ecn == .ect1 && TrafficClass(rawValue: 2).ecn == .ect0)
        #expect(TrafficClass(rawValue: 3).ecn == .congestionExperienced && TrafficClass.standard.ecn == .notCapable)
    }

    @Test("Of a code point that is too large, six bits count")
    func largeCodePoint() {
        #expect(TrafficClass(dscp: 64 + 46, ecn: .ect0) == TrafficClass(dscp: 46, ecn: .ect0))
    }

    @Test("They print by their names")
    func text() {
        #expect(TrafficClass(rawValue: 0xba).description == "DSCP 46, ECT(0)")
        #expect(ExplicitCongestionNotification.allCases.map(\.description) == ["Not-ECT", "ECT(1)", "ECT(0)", "CE"])
    }

    @Test("What is told by itself is the drops, and all is all")
    func standardMetadata() {
        #expect(ReceiveMetadata.standard == [.drops])
        #expect(ReceiveMetadata.all.rawValue == 15)
    }
}
