import SyncCommands
public import WireFormats

/// The program that tests how the versions of apps get along: what `syncserver compat` runs.
public enum SyncTestingProgram {
    /// Runs the command that `arguments`, after the program's own name, ask for.
    ///
    /// - Parameter apps: the plans of what is tested, as the server beside it has them.
    public static func main(_ arguments: [String], apps: [any SchemaMigrationPlan.Type]) async -> Int32 {
        await SyncServerProgram.main(
            arguments, apps: apps,
            summary: "Tests how the versions of an app get along on a server", commands: [CompatCommand.spec])
    }
}
