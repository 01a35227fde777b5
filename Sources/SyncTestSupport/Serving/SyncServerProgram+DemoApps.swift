import DemoApps
package import SyncCommands

extension SyncServerProgram {
    /// Runs a command of `syncserver`, with the demo apps, in this process. Returns the exit status.
    package static func main(_ arguments: [String]) async -> Int32 { await main(arguments, apps: DemoApps.all) }
}
