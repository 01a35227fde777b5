import PGStore
import Postgres
import StrictJSON
import WireFormats

/// The second database of a site, and the moves of spaces between the two.
extension Site {
    /// The name of the second database in the map.
    static let secondName = "second"

    /// Starts to move a space to the database that does not serve it.
    ///
    /// - Parameter isAlone: true to move the space without its bucket. A space that has moved so moves back so.
    func beginMove(of space: ID, isAlone: Bool) async throws -> MoverProcess {
        let session = try await Session.open(superuser)
        let map = BucketMap(try await session.execute(BucketMap.reading))
        await session.close()
        let isSecond = map.name(of: space) == Site.secondName
        let target = isSecond ? BucketMap.Entry.directoryName : Site.secondName
        let goesAlone = isAlone || map.placedSpaces.contains { Bucket(of: $0) == Bucket(of: space) }
        return try MoverProcess(
            executable: program.executable,
            ["database", "move", "--space", "\(space)", "--to", target, "--json"] + (goesAlone ? ["--alone"] : []),
            environment: operatorEnvironment, log: moveLog)
    }

    /// Waits for the end of a move. A move that was killed is continued, or undone if that is still possible.
    func endMove(_ mover: MoverProcess, wasKilled: Bool, isUndone: Bool) async throws {
        if !wasKilled {
            guard mover.wait() else { throw Breach("a move failed:\n\(mover.output)\n\(lastWords)") }
            return
        }
        mover.kill()
        for _ in 1...Site.resumptionsMax {
            let state = try run(["database", "list"])
            guard let step = state["move"]?["step"]?.string.flatMap(SpaceMove.Step.init(rawValue:)) else { return }
            do {
                _ = try runAsOperator(["database", "move", isUndone && step.mayBeUndone ? "--undo" : "--resume"])
                return
            } catch let breach as Breach where breach.description.contains("is at work in the database") {
                // PostgreSQL has not ended the sessions of the killed process yet.
                try await Task.sleep(for: .milliseconds(50))
            }
        }
        throw Breach("a move that was killed cannot be ended")
    }

    /// The maximum number of attempts to end a move that was killed. They take a minute.
    private static let resumptionsMax = 1_000
}
