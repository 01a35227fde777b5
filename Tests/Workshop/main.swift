import Glibc
import SyncCommands
import SyncTesting

let commands = SyncServerProgram.commands(withCompat: CompatCommand.spec)
exit(
    await SyncServerProgram.main(
        CommandLine.arguments, apps: [WorkshopPlan.self, TripsPlan.self, TagsPlan.self], commands: commands))
