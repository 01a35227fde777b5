import DemoApps
import Glibc
import SyncCommands

// The server as users run it, with the benchmark's app beside the others.
exit(await SyncServerProgram.main(CommandLine.arguments, apps: [FitIQPlan.self, BenchPlan.self]))
