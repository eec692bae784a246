internal import DiscoverableCore
internal import FuzzSupport

/// Takes the input as what happens to a queue of datagrams, and checks it beside the account that the unit tests have.
@c(LLVMFuzzerTestOneInput)
public func fuzzSendOperations(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var choices = unsafe Choices(FuzzInput.bytes(start, count))
    let usesSegmentation = choices.below(2) == 0
    var run = SendRun(chance: choices, usesSegmentation: usesSegmentation)
    while run.violation == nil, !run.chance.isEmpty { run.step() }
    run.drain()
    claim(run.violation == nil, run.violation ?? "")
    return 0
}
