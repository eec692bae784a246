/// Runs `body` and gives it up after `limit`: its task goes on by itself, which ends with the process.
@discardableResult
func within<Value: Sendable>(
    _ limit: Duration,
    _ what: String,
    _ body: @escaping @Sendable () async -> Value
) async throws(Exit) -> Value {
    let (results, result) = AsyncStream.makeStream(of: Value?.self)
    let work = Task { result.yield(await body()) }
    let timer = Task {
        if (try? await Task.sleep(for: limit)) != nil { result.yield(nil) }
    }
    defer {
        work.cancel()
        timer.cancel()
    }
    for await case let value? in results.prefix(1) { return value }
    throw .failed("\(what) did not come within \(limit)")
}

/// Lets time pass; an interruption ends the verb.
func pause(_ duration: Duration) async throws(Exit) {
    do { try await Task.sleep(for: duration) } catch { throw .failed("interrupted") }
}
