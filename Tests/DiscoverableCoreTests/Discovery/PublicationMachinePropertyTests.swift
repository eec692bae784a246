import DiscoverableCore
import TestSupport
import Testing

@Suite("A publication in a world where anything happens")
struct PublicationMachinePropertyTests {
    private static let seeds: ClosedRange<UInt64> = 1...200

    /// Some names are looked for first, by turns.
    private func world(
        _ seed: UInt64,
        onCollision policy: Advertisement.CollisionPolicy = .rename
    ) throws -> PublicationWorld {
        let mustLook = seed % 2 == 0 && policy == .rename
        let machine = try mustLook ? .looking("X") : PublicationMachine(["X", "x", "X #2", "Y"], onCollision: policy)
        return PublicationWorld(machine, mustLook: mustLook)
    }

    @Test("Whatever happened: in the end it is visible with its last records, under one set of names", arguments: seeds)
    func comesToRest(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var world = try world(seed)
        for _ in 0..<300 {
            world.apply(try #require(PublicationWorld.Event.allCases.randomElement(using: &generator)))
            try #require(world.violations.isEmpty, "seed \(seed): \(world.violations)")
        }
        world.calmDown()
        #expect(world.violations.isEmpty, "seed \(seed): \(world.violations)")
        #expect(world.machine.state == .established(world.machine.name), "seed \(seed)")
        #expect(world.group?.isEstablished == true, "seed \(seed)")
        #expect(world.group?.names == world.machine.names, "seed \(seed)")
        #expect(world.group?.version == world.wantedVersion, "seed \(seed)")
        if seed % 2 != 0 { #expect(world.machine.names[0] == world.machine.names[1], "equal names stay equal") }
    }

    @Test("One that must not be renamed keeps its name or fails", arguments: seeds)
    func keepsItsName(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var world = try world(seed, onCollision: .fail)
        let names = world.machine.names
        for _ in 0..<100 {
            world.apply(try #require(PublicationWorld.Event.allCases.randomElement(using: &generator)))
            try #require(world.machine.names == names)
        }
        world.calmDown()
        #expect(world.violations.isEmpty, "seed \(seed): \(world.violations)")
        switch world.machine.state {
        case .established: #expect(world.ends == 0)
        case .failed(let error):
            #expect(error.code == .nameCollision)
            #expect(world.ends == 1)
        case .waitingForDaemon, .registering, .renaming, .republishing, .withdrawn:
            Issue.record("seed \(seed): \(world.machine.state)")
        }
    }

    @Test("After its end nothing happens any more, and its group is freed once", arguments: seeds)
    func ends(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var world = try world(seed)
        let lifetime = Int.random(in: 0..<100, using: &generator)
        for step in 0..<200 {
            if step == lifetime { world.withdraw() }
            world.apply(try #require(PublicationWorld.Event.allCases.randomElement(using: &generator)))
            try #require(world.violations.isEmpty, "seed \(seed): \(world.violations)")
        }
        #expect(world.machine.state == .withdrawn)
        #expect(world.ends == 1)
        #expect(world.group == nil)
    }
}
