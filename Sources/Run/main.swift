import Glibc
import SyncServer

exit(await SyncServerProgram.main(CommandLine.arguments))
