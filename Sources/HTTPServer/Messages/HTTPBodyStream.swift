/// A response body that is produced while it is sent: one chunk at a time, the next asked for when the last is out.
///
/// The sequence is iterated in a task of its own, which is cancelled when the client is found gone or the server stops.
/// A client that went away is found at the next write, so a sequence that may be quiet sends heartbeats.
package struct HTTPBodyStream: Sendable {
    /// Feeds the chunks to `write` until it returns false.
    let feed: @Sendable (_ write: @Sendable ([UInt8]) async -> Bool) async -> Void

    /// - Parameter chunks: never fails; an empty chunk sends nothing.
    package init<Chunks: AsyncSequence & Sendable>(_ chunks: Chunks)
    where Chunks.Element == [UInt8], Chunks.Failure == Never {
        feed = { write in
            for await chunk in chunks where !chunk.isEmpty {
                guard await write(chunk) else { return }
            }
        }
    }
}
