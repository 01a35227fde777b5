import DemoApps
import Glibc
import SyncTesting

exit(await SyncTestingProgram.main(CommandLine.arguments, apps: DemoApps.all))
