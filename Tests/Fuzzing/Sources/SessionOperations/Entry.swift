internal import FuzzSupport

/// Takes the input as what apps, network, clocks and strangers do to sessions and their listener.
@c(LLVMFuzzerTestOneInput)
public func fuzzSessionOperations(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let world = unsafe FuzzWorld(Choices(FuzzInput.bytes(start, count)))
    world.run()
    world.finish()
    claim(world.violations.isEmpty, world.violations.joined(separator: "; "))
    return 0
}
