/// The specification of the command `compat`. A separate program runs it, because the command links the client and the
/// simulator, which the server must not link.
package enum CompatSpec {
    /// The suffix of the name of the program that runs `compat`, after the name of the server's program.
    package static let programSuffix = "-compat"

    /// Returns the name or path of the server's program, given that of the program for `compat`: `syncserver` for
    /// `syncserver-compat`. A name without the suffix `-compat` is returned unchanged.
    package static func server(beside program: String) -> String {
        program.hasSuffix(programSuffix) ? String(program.dropLast(programSuffix.count)) : program
    }

    /// The names of the faults that the simulator can inject, in the simulator's order.
    package static let faultNames = [
        "drop-request", "drop-response", "duplicate", "delay", "reorder", "cut", "kill", "database", "skew",
        "upgrade", "reinstall", "gc", "refusal", "epoch", "migration", "restore", "whole", "unstamped", "mixed",
        "tie", "again", "overlap", "servers", "databases", "downgrade", "retirement", "wipe", "order",
    ]

    package static func command(run: @escaping CommandSpec.Action) -> CommandSpec {
        CommandSpec(
            "compat", "Test every version of an app against every other, or a mixed fleet under faults",
            details: [
                "Without --fleet, every version writes and every version reads, over HTTP.",
                "With --fleet 3:4,0.0.8:2, devices of several versions share a space under faults, and a model says "
                    + "what they must hold; see docs/simulator.md.",
            ],
            options: [
                .app,
                .value(
                    "seed", "N", "makes the same values, or the same run, once more", standard: "random, and printed"),
                .value(
                    "url", "URL",
                    "a running server, with --token and --space; without it, one of its own on a throwaway database"),
                .value("token", "TOKEN", "with --url: the bearer token"),
                .value("space", "SPACE", "with --url: the space", standard: "me"),
                .value("writer", "VERSION", "only this version writes", isRepeated: true),
                .value("reader", "VERSION", "only this version reads", isRepeated: true),
                .value(
                    "client", "VERSION=COMMAND",
                    "a build of your own is the devices of this version: see docs/testing-your-builds.md",
                    isRepeated: true),
                .value("junit", "FILE", "also write JUnit XML", kind: .file),
                .value("html", "FILE", "also write the matrix as a page", kind: .file),
                .value(
                    "fleet", "VERSION:N,…",
                    "versions, by position from 1 or by number, and how many devices there are of each"),
                .value(
                    "server", "FILE", "with --fleet: the server's program", kind: .file,
                    standard: "this program, without ‘-compat’ at its end"),
                .value("steps", "N", "with --fleet: how much happens", standard: "20000"),
                .value(
                    "faults", "FAULT,…",
                    "with --fleet: all, none, all but some (all,-kill), or some of: "
                        + faultNames.joined(separator: ", "),
                    standard: "all"),
                .value(
                    "steps-file", "FILE",
                    "with --fleet: where to write the steps that matter; without it, the steps to run again",
                    kind: .file),
                .value(
                    "tries", "N", "with --fleet: how often to try to leave steps out of a run that failed",
                    standard: "250"),
                .migrations, .json,
            ],
            run: run)
    }
}
