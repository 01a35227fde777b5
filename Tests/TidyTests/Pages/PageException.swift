/// An accepted violation of a rule, with the reason. An exception that is not needed any longer is a fault.
struct PageException: Sendable, CustomStringConvertible {
    /// The text that the rule reports; `nil` for all reports about a page.
    let subject: String?
    /// A page, or a prefix of several paths; empty for all.
    let page: String
    /// The rule's name; `nil` for all rules.
    let rule: String?
    let reason: String

    var description: String { "\(subject ?? "everything") in \(page.isEmpty ? "all pages" : page): \(reason)" }

    init(_ subject: String?, in page: String = "", rule: PageRule? = nil, _ reason: String) {
        (self.subject, self.page, self.rule, self.reason) = (subject, page, rule?.name, reason)
    }

    func covers(_ fault: PageRule.Fault, of rule: PageRule, on page: Page) -> Bool {
        (subject == nil || subject == fault.subject) && page.path.hasPrefix(self.page)
            && (self.rule == nil || self.rule == rule.name)
    }

    private static func each(_ subjects: String..., in page: String = "", because reason: String) -> [PageException] {
        subjects.map { PageException($0, in: page, reason) }
    }

    private static func rules(_ rules: PageRule..., in page: String, because reason: String) -> [PageException] {
        rules.map { PageException(nil, in: page, rule: $0, reason) }
    }

    static let all: [PageException] = [
        rules(.paths, .types, in: "CHANGELOG.md", because: "it names what is gone"),
        rules(.paths, .types, .identifiers, in: "docs/decisions/", because: "it says what was weighed at its time"),
        each("--no-owner", in: "docs/operations.md", because: "pg_restore’s"),
        each("--in-place", in: "docs/hacking.md", because: "the formatter’s"),
        each("--max-time", "--data-urlencode", in: "docs/tour.md", because: "curl’s"),
        each(".build/package", in: "deploy/README.md", because: "what script/package writes"),
        each(
            ".build/package", ".build/python-tools", ".build/release-files", ".build/full",
            in: "docs/hacking.md", because: "what scripts write"),
        each(".syncserver/demo.env", in: "docs/tour.md", because: "what ‘serve --demo’ writes"),
        each("../shared/bench", in: "docs/performance.md", because: "lies beside the repository"),
        each("application/json", "application/schema+json", "application/problem+json", because: "a media type"),
        each("spaces/me", in: "docs/identity.md", because: "the end of a request’s path"),
        each("issuer/.well-known/openid-configuration", in: "docs/identity.md", because: "an address of a provider"),
        each("Folder/Type", in: "docs/architecture.md", because: "how the page names sources"),
        each("fitiq/0013-add-mood.sql", in: "docs/migrations.md", because: "a file that is only an example"),
        each("MinutesToHours", in: "docs/adding-a-version.md", because: "the walkthrough writes it"),
        each("Sources/Pantry", "Migrations/pantry", in: "docs/your-own-app.md", because: "‘syncserver init’ makes it"),
        each("AsyncSequence", "CGFloat", because: "of Swift and Foundation"),
        each("SyncserverMemory", "WALGrows", in: "docs/operations.md", because: "alerts of deploy/prometheus"),
        each("ModelContext.didSave", in: "docs/client.md", because: "SwiftData’s"),
        each("Kind.RawValue", in: "docs/import-schemas.md", because: "of any enumeration"),
        each("WatchdogSec", in: "deploy/README.md", because: "systemd’s"),
        each("EdDSA", in: "docs/identity.md", because: "a kind of signature that is refused"),
        each("onUpdateNeeded", in: "docs/comparison.md", because: "of another product"),
        each("LD_PRELOAD", "GLIBC_TUNABLES", "SCHED_RR", in: "docs/performance.md", because: "the system’s"),
        each("What we lack", in: "docs/comparison.md", because: "beside others, a reader wants to know it at once"),
        each("left", in: "docs/security.md", because: "a column of the threats: what the bound of each does not cover"),
    ].flatMap(\.self)
}
