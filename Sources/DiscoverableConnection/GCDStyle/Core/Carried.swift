/// Something of the app's that may be no `Sendable`: its delegate, its filters, its data. It is kept and handed to the queue that the app
/// has named, and nothing else is done with it.
struct Carried<Value>: @unchecked Sendable {  // safe because the app chose the queue that uses it
    let value: Value

    init(_ value: Value) { self.value = value }
}
