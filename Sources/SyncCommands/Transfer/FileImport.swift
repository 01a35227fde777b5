import Operations
import StrictJSON
import WireFormats

/// The result of importing one file.
struct FileImport: Sendable {
    let file: String
    let outcome: Result<Content, TransferError>

    /// The result of importing a file that could be read.
    struct Content: Sendable {
        /// The unit in which the report gives the positions of records in the file: `line` or `row`.
        let positionUnit: String
        /// The time at which the app wrote the file; `nil` for an export, and if the time is unknown.
        let time: FileTime?
        let report: ImportReport
    }

    /// True if all records of the file were imported or were already in the space.
    var isWhole: Bool {
        if case .success(let content) = outcome { content.report.faults.isEmpty } else { false }
    }

    /// The records that were not imported, with the reasons, as one line of text each. If the file could not be read,
    /// the only line is the reason for that.
    var faults: [String] {
        switch outcome {
        case .success(let content):
            content.report.faults.map { "\(file), \(content.positionUnit) \($0.position): \($0.reason)" }
        case .failure(let error): ["\(file): \(error.description)"]
        }
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("file", file)
        switch outcome {
        case .success(let content): content.write(to: &writer)
        case .failure(let error): writer.member("error", error.description)
        }
        writer.endObject()
    }
}

extension FileImport.Content {
    fileprivate func write(to writer: inout JSONWriter) {
        if let time {
            writer.member("written", time.time.description)
            writer.member("writtenSaidBy", time.source.rawValue)
        }
        for (name, count) in [
            ("imported", report.imported), ("unchanged", report.unchanged), ("overruled", report.overruled),
        ] {
            writer.key(name)
            writer.int(count)
        }
        writer.member("refused", each: report.faults) { writer, fault in
            writer.beginObject()
            writer.key(positionUnit)
            writer.int(fault.position)
            writer.member("reason", fault.reason)
            writer.endObject()
        }
    }
}
