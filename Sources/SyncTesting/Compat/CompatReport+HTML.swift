import WireFormats

extension CompatReport {
    /// The report as one HTML page, which needs no other files, for a build server to store.
    var html: String {
        let writers = Array(Set(outcomes.map(\.writer))).sorted()
        let readers = Array(Set(outcomes.map(\.reader))).sorted()
        let failed = outcomes.filter { !$0.isGreen }
        var lines = [
            "<!DOCTYPE html>", "<html lang=\"en\">", "<meta charset=\"utf-8\">",
            "<title>\(plan.app.escapedForXML): versions that get along</title>", "<style>\(CompatReport.style)</style>",
            "<h1>\(plan.app.escapedForXML)</h1>",
            "<p>\(outcomes.count - failed.count) of \(outcomes.count) pairs are compatible. Seed \(seed). "
                + "Writers down, readers across; how many entities both know.</p>",
            "<table>", "<tr><th></th>\(readers.map { "<th>\(name($0))</th>" }.joined())</tr>",
        ]
        for writer in writers {
            let cells = readers.map { reader -> String in
                guard let outcome = outcomes.first(where: { $0.writer == writer && $0.reader == reader }) else {
                    return "<td></td>"
                }
                if outcome.isGreen { return "<td class=\"good\">\(outcome.entities)</td>" }
                return "<td class=\"bad\"><a href=\"#\(writer)-\(reader)\">✗</a></td>"
            }
            lines.append("<tr><th>\(name(writer))</th>\(cells.joined())</tr>")
        }
        lines.append("</table>")
        for outcome in failed {
            guard let failure = outcome.failure else { continue }
            lines += [
                "<h2 id=\"\(outcome.writer)-\(outcome.reader)\">\(name(outcome.writer)) writes, "
                    + "\(name(outcome.reader)) reads: \(failure.step.escapedForXML)</h2>",
                "<p>\(failure.detail.escapedForXML)</p>",
            ]
            lines += failure.requests.map { "<pre>\($0.escapedForXML)</pre>" }
        }
        return (lines + ["</html>", ""]).joined(separator: "\n")
    }

    private func name(_ position: Int) -> String { plan.name(of: position).description.escapedForXML }

    private static let style =
        "body{font:16px system-ui;margin:2em}table{border-collapse:collapse}"
        + "th,td{padding:.4em .8em;border:1px solid #bbb}td{text-align:center}"
        + ".good{background:#d5f0d5}.bad{background:#f6c7c7}pre{white-space:pre-wrap}"
}
