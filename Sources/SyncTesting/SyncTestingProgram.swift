import SyncCommands
public import WireFormats

/// The program that tests the compatibility of apps' versions: the implementation of `syncserver compat`.
public enum SyncTestingProgram {
    /// Runs the command in `arguments`, which come after the program's own name.
    ///
    /// - Parameter apps: the plans to test, as the server beside it has them.
    public static func main(_ arguments: [String], apps: [any SchemaMigrationPlan.Type]) async -> Int32 {
        await SyncServerProgram.main(
            arguments, apps: apps,
            summary: "Tests how the versions of an app get along on a server", commands: [CompatCommand.spec])
    }
}
