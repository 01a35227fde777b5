import StrictJSON
import WireFormats

/// A JSON file that an app wrote. If a row is not valid JSON, the other rows can still be read.
struct LegacyFile {
    let root: JSONNode
    /// The errors of rows that are not JSON, by the index of the row. There is one dictionary for each list in `lists`,
    /// in that order, or a single one if the root is itself the list.
    private let faults: [[Int: JSONError]]

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - bytes: the JSON text to parse.
    ///   - lists: the names of the top-level object's members that are lists of rows. They are ignored if the file is
    ///     itself a list of rows.
    ///   - original: the bytes of the file, if `bytes` is a changed copy of them. Then errors name positions in the
    ///     file.
    init(_ bytes: [UInt8], lists: [String], original: [UInt8]? = nil) throws(LegacyFault) {
        (root, faults) = try LegacyFault.wrapping { () throws(JSONError) in
            do throws(JSONError) {
                return (try JSONDocument(parsing: bytes).root, [])
            } catch {
                if let salvage = JSONSalvage(ofRootOr: lists, in: bytes),
                    let document = try? JSONDocument(parsing: salvage.bytes)
                {
                    return (document.root, salvage.faultsOfArrays)
                }
                // Throws the same error with its position in the original file.
                if let original { _ = try JSONDocument(parsing: original) }
                throw error
            }
        }
    }

    /// Returns the reason for which a row is not JSON; `nil` if it is JSON. A row that is not JSON is read as null.
    ///
    /// - Parameters:
    ///   - row: the index of the row in its list, from 0.
    ///   - list: the index of the list in `lists`.
    func fault(ofRow row: Int, in list: Int = 0) -> LegacyFault? {
        guard faults.indices.contains(list), let error = faults[list][row] else { return nil }
        return LegacyFault("The row is no JSON. Counted from its beginning: \(error)")
    }
}
