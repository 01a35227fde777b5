import SyncCommands
public import WireFormats

/// The program behind the command `syncserver compat`, which tests that all versions of an app are compatible.
public enum SyncTestingProgram {
    /// Runs a command.
    ///
    /// - Parameters:
    ///   - arguments: the words of the command line; the first one is the program's own name.
    ///   - apps: the plans to test. They must be the plans that the server serves.
    /// - Returns: the exit status of the process.
    public static func main(_ arguments: [String], apps: [any SchemaMigrationPlan.Type]) async -> Int32 {
        await SyncServerProgram.main(
            arguments, apps: apps,
            summary: "Tests how the versions of an app get along on a server", commands: [CompatCommand.spec])
    }
}
