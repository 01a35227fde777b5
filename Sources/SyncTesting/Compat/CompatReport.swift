import StrictJSON
import SyncCommands
import WireFormats

/// A report on the tests of all pairs of versions: a matrix as text, JSON, or JUnit XML for build servers.
struct CompatReport {
    let plan: Plan
    let seed: UInt64
    let outcomes: [CompatOutcome]

    var isGreen: Bool { outcomes.allSatisfy(\.isGreen) }

    private func version(_ position: Int) -> String { plan.name(of: position).description }

    /// Returns a version's number for a row or column of the matrix.
    ///
    /// Historical variants have the same number as a version, so asterisks tell them apart: the first variant gets one,
    /// the second gets two.
    private func heading(_ position: Int) -> String {
        let canonical = plan.version(of: position)
        let ordinal = plan.shapes.indices.filter { plan.version(of: $0) == canonical }.firstIndex(of: position) ?? 0
        return "\(plan.shapes[position].version)" + String(repeating: "*", count: ordinal)
    }

    /// The report as text: a matrix with one row for each writer, then each failure with the requests that show it.
    var text: String {
        let writers = Array(Set(outcomes.map(\.writer))).sorted()
        let readers = Array(Set(outcomes.map(\.reader))).sorted()
        var lines = ["\(plan.app), writers down, readers across; the number of entities both know, or ✗", ""]
        lines.append("".padded(to: 8) + readers.map { heading($0).padded(to: 7) }.joined())
        for writer in writers {
            let row = readers.map { reader -> String in
                guard let outcome = outcomes.first(where: { $0.writer == writer && $0.reader == reader }) else {
                    return ""
                }
                return (outcome.isGreen ? "\(outcome.entities)" : "✗").padded(to: 7)
            }
            lines.append(heading(writer).padded(to: 8) + row.joined())
        }
        let variants = Set(writers + readers).filter(plan.isVariant).sorted()
        lines += variants.isEmpty ? [] : [""] + variants.map { "\(heading($0)) is \(version($0))" }
        let failed = outcomes.filter { !$0.isGreen }
        lines += ["", "\(outcomes.count - failed.count) of \(outcomes.count) pairs are compatible. Seed \(seed)."]
        for outcome in failed { lines += description(of: outcome) }
        return lines.joined(separator: "\n")
    }

    private func description(of outcome: CompatOutcome) -> [String] {
        guard let failure = outcome.failure else { return [] }
        let (writer, reader) = (argument(outcome.writer), argument(outcome.reader))
        let pair = "--writer \(writer) --reader \(reader) --seed \(seed)"
        return [
            "", "✗ \(version(outcome.writer)) writes, \(version(outcome.reader)) reads: \(failure.step)",
            "  \(failure.detail)",
        ] + failure.requests.map { "  pushed: \($0)" } + ["  again: syncserver compat --app \(plan.app) \(pair)"]
    }

    /// Returns the version as an argument of a shell command. A variant's name is quoted, because it contains a
    /// semicolon.
    private func argument(_ position: Int) -> String {
        plan.isVariant(position) ? "'\(version(position))'" : version(position)
    }

    var json: String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("app", plan.app)
        writer.member("seed", "\(seed)")
        writer.member("compatible", isGreen)
        writer.key("pairs")
        writer.beginArray()
        for outcome in outcomes { write(outcome, to: &writer) }
        writer.endArray()
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private func write(_ outcome: CompatOutcome, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("writer", version(outcome.writer))
        writer.member("reader", version(outcome.reader))
        writer.member("entities", outcome.entities)
        writer.member("compatible", outcome.isGreen)
        if let failure = outcome.failure {
            writer.member("step", failure.step)
            writer.member("detail", failure.detail)
            writer.key("requests")
            writer.beginArray()
            for request in failure.requests { writer.raw(json: request) }
            writer.endArray()
        }
        writer.endObject()
    }

    /// The report as JUnit XML, with one test case for each pair of versions. It uses the subset of JUnit that build
    /// servers read.
    var junit: String {
        let failures = outcomes.count { !$0.isGreen }
        var lines = [
            #"<?xml version="1.0" encoding="UTF-8"?>"#,
            #"<testsuite name="compat \#(plan.app)" tests="\#(outcomes.count)" failures="\#(failures)">"#,
        ]
        for outcome in outcomes {
            let name = "\(version(outcome.writer)) writes, \(version(outcome.reader)) reads"
            guard let failure = outcome.failure else {
                lines.append(#"  <testcase classname="\#(plan.app)" name="\#(name)"/>"#)
                continue
            }
            let text = ([failure.detail] + failure.requests).joined(separator: "\n").escapedForXML
            lines.append(#"  <testcase classname="\#(plan.app)" name="\#(name)">"#)
            lines.append(#"    <failure message="\#(failure.step.escapedForXML)">\#(text)</failure>"#)
            lines.append("  </testcase>")
        }
        return (lines + ["</testsuite>", ""]).joined(separator: "\n")
    }
}

extension String {
    /// The text with the five special characters of XML escaped, and characters that XML does not allow replaced by
    /// U+FFFD (XML 1.0, sections 2.2 and 2.4).
    var escapedForXML: String {
        var escaped = ""
        for scalar in unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&apos;"
            case "\t", "\n", "\r": escaped.unicodeScalars.append(scalar)
            case "\u{0}"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": escaped += "\u{FFFD}"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
