internal import Glibc

/// Ends the process where something that must hold does not; libFuzzer reports that, with the input that led there.
///
/// - Parameter explanation: what does not hold, with the values that show it.
package func claim(_ holds: Bool, _ explanation: @autoclosure () -> String) {
    guard !holds else { return }
    let line = Array("claim broken: \(explanation())\n".utf8)
    _ = unsafe write(STDERR_FILENO, line, line.count)
    abort()
}
