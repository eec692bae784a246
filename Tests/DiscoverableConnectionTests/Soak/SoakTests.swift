import Foundation
import Glibc
import Testing

/// Each in a process of its own: what is counted, descriptors and memory, is the process's.
@Suite("Soak", .serialized)
struct SoakTests {
    /// Whether tests may take minutes.
    static var isWanted: Bool { setting("DISCOVERABLE_SOAK") == 1 }

    @Test("A few seconds of everything at once", .timeLimit(.minutes(3)))
    func short() async {
        await #expect(processExitsWith: .success) {
            try await report(Soak(seed: 4, warmUp: .seconds(1), duration: .seconds(4)))
        }
    }

    /// With `DISCOVERABLE_SOAK=1`; `DISCOVERABLE_SOAK_SECONDS` says for how long (else 600), `DISCOVERABLE_SOAK_SEED` with which seed.
    @Test("Minutes of everything at once", .enabled(if: isWanted))
    func long() async {
        await #expect(processExitsWith: .success) {
            let duration = Duration.seconds(setting("DISCOVERABLE_SOAK_SECONDS") ?? 600)
            let seed = setting("DISCOVERABLE_SOAK_SEED") ?? .random(in: 0..<1 << 32)
            try await report(Soak(seed: seed, warmUp: min(.seconds(10), duration / 4), duration: duration))
        }
    }
}

/// At once: a crash must not swallow which seed it was.
func say(_ text: String) {
    print("soak: \(text)")
    fflush(nil)
}

private func setting(_ name: String) -> UInt64? {
    ProcessInfo.processInfo.environment[name].flatMap(UInt64.init)
}

private func report(_ soak: Soak) async throws {
    speakThroughParent()
    for complaint in try await soak.complaints() { Issue.record("\(complaint)") }
}

/// Exit tests give their processes no output; a figure, a crash, or what a sanitizer finds would be lost.
private func speakThroughParent() {
    let output = unsafe open("/proc/\(getppid())/fd/2", O_WRONLY | O_APPEND)
    guard output >= 0 else { return }
    dup2(output, STDOUT_FILENO)
    dup2(output, STDERR_FILENO)
    close(output)
}
