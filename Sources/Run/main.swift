import DemoApps
import Glibc
import SyncCommands

exit(await SyncServerProgram.main(CommandLine.arguments, apps: DemoApps.all))
