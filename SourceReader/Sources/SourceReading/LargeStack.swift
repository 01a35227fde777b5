internal import Foundation
internal import Synchronization

/// Work on a thread of its own with a large stack, for functions that recurse with the nesting of a file.
final class LargeStack<Value: Sendable>: Sendable {
    /// The stack's address space; only its used part takes memory.
    private static var stackSizeBytes: Int { 128 << 20 }

    private let value = Mutex<Value?>(nil)
    private let isDone = DispatchSemaphore(value: 0)

    init(_ work: @escaping @Sendable () -> Value) {
        let thread = Thread {
            let result = work()
            self.value.withLock { $0 = result }
            self.isDone.signal()
        }
        thread.stackSize = LargeStack.stackSizeBytes
        thread.start()
    }

    /// Returns the result; `nil` if the time limit passes, after which the work continues.
    func wait(_ timeLimit: TimeInterval) -> Value? {
        isDone.wait(timeout: .now() + timeLimit) == .success ? value.withLock { $0 } : nil
    }

    func wait() -> Value {
        isDone.wait()
        guard let value = value.withLock({ $0 }) else { preconditionFailure("The work is done, and gave nothing.") }
        return value
    }
}
