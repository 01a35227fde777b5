internal import Foundation
internal import Synchronization

/// Work on a thread of its own, whose stack is enough for what recurses by the nesting of a file.
final class LargeStack<Value: Sendable>: Sendable {
    /// Address space, of which only what is used becomes memory.
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

    /// Nothing where the work takes longer; it goes on then.
    func wait(_ timeLimit: TimeInterval) -> Value? {
        isDone.wait(timeout: .now() + timeLimit) == .success ? value.withLock { $0 } : nil
    }

    func wait() -> Value {
        isDone.wait()
        guard let value = value.withLock({ $0 }) else { preconditionFailure("The work is done, and gave nothing.") }
        return value
    }
}
