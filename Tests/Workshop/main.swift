import Glibc
import SyncServer

exit(await SyncServerProgram.main(CommandLine.arguments, apps: [WorkshopPlan.self]))
