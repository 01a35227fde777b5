import CSpawn
import Glibc

/// A program that is run as a child process, as another user if need be.
package struct Program: Sendable {
    package let path: String
    package let arguments: [String]
    /// The user to run the program as; only root may choose another one.
    let account: Account
    /// The environment, each entry as `NAME=value`.
    let environment: [String]

    package init(path: String, arguments: [String], account: Account, environment: [String] = bare) {
        (self.path, self.arguments, self.account, self.environment) = (path, arguments, account, environment)
    }

    /// Starts the program in a session of its own, so that a Ctrl-C in the terminal does not reach it. The program
    /// inherits no files that it does not need. Its output is appended to `log`.
    ///
    /// - Returns: the process ID of the program. If `setpriv` or `env` starts first, the program later replaces it and
    ///   keeps its ID.
    package func start(log: String) throws(FileError) -> Int32 {
        try spawn { actions in
            posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
            posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW, 0o600)
            posix_spawn_file_actions_adddup2(&actions, 1, 2)
        }
    }

    /// Starts the program as `start(log:)` does, with its standard streams connected to open files of this process; a
    /// stream of `nil` is connected to nothing.
    package func start(input: CInt?, output: CInt?, errors: CInt) throws(FileError) -> Int32 {
        try spawn { actions in
            for (file, stream, flags) in [(input, CInt(0), O_RDONLY), (output, CInt(1), O_WRONLY)] {
                if let file {
                    posix_spawn_file_actions_adddup2(&actions, file, stream)
                } else {
                    posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", flags, 0)
                }
            }
            posix_spawn_file_actions_adddup2(&actions, errors, 2)
        }
    }

    private func spawn(_ connect: (inout posix_spawn_file_actions_t) -> Void) throws(FileError) -> Int32 {
        // The account may lack access to the current directory.
        var command = ["/usr/bin/env", "--chdir=/", path] + arguments
        if account != Account.current {
            command =
                [
                    "/usr/bin/setpriv", "--reuid=\(account.userID)", "--regid=\(account.groupID)", "--clear-groups",
                    "--",
                ] + command
        }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        connect(&actions)
        // Not every file of this process is closed on exec: Foundation's pipes are not, and their readers would wait
        // for as long as the program lives.
        posix_spawn_file_actions_addclosefrom_np(&actions, 3)

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // This process may block or ignore signals that the child must receive.
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        var all = sigset_t()
        sigfillset(&all)
        posix_spawnattr_setsigdefault(&attributes, &all)
        let flags = Self.newSession | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
        posix_spawnattr_setflags(&attributes, Int16(flags))

        var child: pid_t = 0
        let arguments = command.map { strdup($0) } + [nil]
        let environment = environment.map { strdup($0) } + [nil]
        defer { for copy in arguments + environment { free(copy) } }
        let status = posix_spawn(&child, command[0], &actions, &attributes, arguments, environment)
        guard status == 0 else {
            throw FileError(path: command[0], attempt: "run", reason: String(cString: strerror(status)))
        }
        return child
    }

    /// Runs the program and waits until it has ended. Its output is appended to `log`.
    ///
    /// - Throws: `programFailed` unless the program ends with status 0.
    package func run(log: String) async throws(ClusterError) {
        let child: pid_t
        do { child = try start(log: log) } catch { throw .file(error) }
        var ended = Program.status(ofEnded: child)
        while ended == nil {
            // Not cancellable on purpose: half an initdb is of no use to anyone.
            try? await Task.sleep(for: Program.pollInterval)
            ended = Program.status(ofEnded: child)
        }
        let name = path.split(separator: "/").last.map(String.init) ?? path
        if let status = ended, status != 0 {
            throw .programFailed(program: name, status: Int(status >> 8), output: LogFile(path: log).tail)
        }
    }

    /// Returns the status of a child that has ended, in the form of `wait(2)`; `nil` while it runs. A child whose
    /// status the kernel did not keep counts as failed.
    package static func status(ofEnded child: Int32) -> Int32? {
        var status: Int32 = 0
        switch waitpid(child, &status, WNOHANG) {
        case child: return status
        case -1 where errno != EINTR: return unknownStatus
        default: return nil
        }
    }

    /// The status of a child whose real status is unknown: exit status 255, in the form of `wait(2)`.
    private static let unknownStatus: Int32 = 255 << 8

    /// Makes the exit statuses of child processes available to this process. Some supervisors start a process with
    /// SIGCHLD ignored; the kernel would then discard the statuses (wait(2), ECHILD).
    package static func keepStatusesOfChildren() {
        signal(SIGCHLD, SIG_DFL)
    }

    /// The flag POSIX_SPAWN_SETSID of `<spawn.h>`, which starts the child in a session of its own. It is a GNU
    /// extension that Swift does not import.
    private static let newSession: Int32 = 0x80

    static let pollInterval = Duration.milliseconds(10)

    /// The environment of a child process. It has none of this process's variables, because `PGDATA` and its like would
    /// mislead the child.
    package static let bare = ["PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8", "TZ=UTC", "HOME=/"]
}
