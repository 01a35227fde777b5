import DemoApps
import Glibc
import SyncCommands
import WireFormats

// The server as users run it, with the benchmark's app in addition to the others.
var apps: [any SchemaMigrationPlan.Type] = [FitIQPlan.self, BenchPlan.self]
// Only for the measurements that need it, because it creates 200 tables.
if getenv("BENCH_WIDE") != nil { apps.append(WidePlan.self) }
exit(await SyncServerProgram.main(CommandLine.arguments, apps: apps))
