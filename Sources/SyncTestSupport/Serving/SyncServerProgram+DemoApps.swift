import DemoApps
package import SyncCommands

extension SyncServerProgram {
    /// Runs the demo apps' program in this process.
    package static func main(_ arguments: [String]) async -> Int32 { await main(arguments, apps: DemoApps.all) }
}
