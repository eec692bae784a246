import DiscoverableCore
import DiscoverableRuntime
import Glibc
import Testing

extension ToolDaemonTests {
    @Suite("dscv and a daemon that is not there, or quiet", .needsTestbed, .timeLimit(.minutes(2)))
    struct ToolWaiting {
        @Test("Without a daemon, what has an end gives up after 5 s with 69 and one line on stderr")
        func noDaemon() async throws {
            try await Testbed.with(["daemon", "alpha", "stop"], undoneBy: ["daemon", "alpha", "start"]) {
                let start = MonotonicClock.now
                let tools = [
                    try Dscv.start("browse", "_x._tcp", "--for", "30"), try Dscv.start("browse", "--until-settled"),
                    try Dscv.start("resolve", "Name", "_x._tcp"), try Dscv.start("connect", "Name"),
                ]
                for tool in tools {
                    let result = try await tool.finished()
                    #expect(result.status == 69)
                    #expect(result.output == "")
                    #expect(result.errorLineCount == 1 && result.errors.contains("avahi-daemon is not running"))
                }
                let elapsed = start.duration(to: MonotonicClock.now)
                #expect(elapsed > .seconds(4.5) && elapsed < .seconds(8))
            }
        }

        @Test("What waits for the daemon says so, and an interruption ends it at once")
        func interrupted() async throws {
            try await Testbed.with(["daemon", "alpha", "stop"], undoneBy: ["daemon", "alpha", "start"]) {
                let tools = [
                    try Dscv.start("browse", "_x._tcp"), try Dscv.start("browse"),
                    try Dscv.start("publish", "Name", "_x._tcp", "1"),
                    try Dscv.start("serve", "Name", "--port", "0", input: .open),
                ]
                for tool in tools {
                    _ = try await tool.errorLine(within: .seconds(10)) { $0.contains("waiting for it") }
                    tool.send(SIGINT)
                    #expect(try await tool.waitForEnd(within: .seconds(5)) == 130)
                    #expect(tool.errorLines.count == 1)
                }
            }
        }

        @Test("A browse that starts before bus and daemon says once that it waits, and prints when both have come")
        func early() async throws {
            try await Testbed.tell("bus", "alpha", "kill")
            let browser = try Dscv.start("browse", "_tool-early._tcp", "--resolve", "--json")
            let publisher: ChildProcess
            do {
                let note = try await browser.errorLine(within: .seconds(10)) { _ in true }
                #expect(note.contains("no D-Bus system bus") && note.contains("waiting"))
                try await Testbed.tell("bus", "alpha", "start")
                publisher = try Testbed.start(on: Testbed.peer, "avahi-publish", "-s", "Early", "_tool-early._tcp", "7")
            } catch {
                try await Testbed.tell("bus", "alpha", "start")
                throw error
            }
            defer { publisher.end() }
            let line = try await browser.told("added")
            #expect(line.name == "Early" && line.port == 7)
            #expect(browser.errorLines.count == 1)
            browser.end()
            #expect(try await browser.waitForEnd() == 143)
        }

        @Test("A browse that nothing happens to sleeps: in ten seconds its connection does not run at all")
        func idle() async throws {
            let browser = try Dscv.start("browse", "_tool-idle._tcp", "--resolve", "--json")
            try await browser.told("settled")
            _ = await browser.rest(within: .seconds(1))
            let before = try ProcessTime(of: browser.pid)
            #expect(await browser.rest(within: .seconds(10)) == [])
            let after = try ProcessTime(of: browser.pid)
            #expect(after.has(thread: "avahi-client"))
            #expect(after.since(before, thread: "avahi-client") == .zero)
            // What is left is libdispatch's look at its threads, once a second, in every process that runs Swift's tasks.
            #expect(after.since(before) < .milliseconds(20))
            browser.send(SIGINT)
            #expect(try await browser.waitForEnd() == 130)
        }
    }
}
